"""118 tables in the forms of public ones: each is read right, or asked about, and the answer leads to what is right."""

# what is passed on purpose is of many types
# mypy: disable-error-code="arg-type"

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import igbtheory as igb

RNG = np.random.default_rng(44)
N = 100
ROWS = np.arange(N)
DATES = [f"20{10 + i // 40}-{1 + i // 10 % 4:02d}-{1 + i % 10:02d}" for i in ROWS]


def column(kind: str) -> Any:
    """Return a column: r, real numbers; 1:4, whole ones from 1 to 3; a|b, words; +7, a count from 7 on; more below."""
    if kind == "r":
        return np.round(RNG.normal(size=N), 4)
    if kind.startswith("+"):
        return ROWS + int(kind[1:])
    if "|" in kind:
        return RNG.choice(kind.split("|"), N)
    if ":" in kind:
        low, high = map(int, kind.split(":"))
        return RNG.integers(low, high, N)
    drawn: dict[str, Any] = {
        "signs": RNG.choice([-1, 1], N),
        "2or4": RNG.choice([2, 4], N),
        "0or10": RNG.choice([0, 10], N),
        "once": np.r_[[3], RNG.integers(0, 3, N - 1)],
        "seconds": 1.7e9 + 60 * ROWS,
        "sorted": np.sort(RNG.integers(0, 300, N)),
        "shuffled": RNG.permutation(N),
        "ids": RNG.permutation(90000)[:N] + 842302,
        "id": RNG.integers(1, 10**6, N),
        "target": 1000 + 7 * RNG.permutation(N),
        "outcome": RNG.permutation(N) // 2 + 25,
        "zero": np.zeros(N, int),
        "rising": 0.01 * ROWS,
        "names": [f"name {i}" for i in ROWS],
        "codes": [f"P{i:04d}_ECOLI" for i in ROWS],
        "quoted": [f'"Doe, Mr. {i}"' for i in ROWS],
        "tickets": [f"A/5 {i % 50}" for i in ROWS],
        "dates": DATES,
        "percent": [f"{i % 90}%" for i in ROWS],
        "gap": ["?", *map(str, RNG.integers(10, 60, N - 1))],
        "logical": RNG.choice(["TRUE", "FALSE"], N),
        "bool": RNG.random(N) > 0.5,
    }
    return drawn[kind]


def pixels(grey: int) -> str:
    """Return the kinds of 100 pixels, of which those at the edge are 0."""
    inside = {10 * i + j for i in range(2, 8) for j in range(2, 8)}
    return " ".join(f"0:{grey}" if i in inside else "zero" for i in range(100))


def cells(values: Any, decimal: str = ".") -> list[str]:
    return [v if isinstance(v, str) else f"{v:.10g}".replace(".", decimal) for v in values]


@dataclass(frozen=True)
class Table:
    """A table: what the rule does with it, its columns, their names, and the truth: places of labels and of no data.

    outcome: "right"; "asked", and the answer is right; "other", asked, and another answer is right; "needless", as
    asked, though all columns are features; "told", values of an output are a feature, and this is said.
    """

    outcome: str
    name: str
    kinds: str
    names: str = ""
    label: int | None = None
    drop: tuple[int, ...] = ()
    separator: str = ","
    decimal: str = "."
    ending: str = "\n"
    front: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    encoding: str = "utf-8"

    def columns(self) -> list[Any]:
        return [column(kind) for kind in self.kinds.split()]

    def text(self, columns: Sequence[Any]) -> bytes:
        rows = zip(*(cells(one, self.decimal) for one in columns), strict=True)
        head = [self.separator.join(self.names.split(","))] if self.names else []
        lines = [*head, *(self.separator.join(row) for row in rows), ""]
        return (self.front + self.ending.join(lines)).encode(self.encoding)

    def key(self, place: int) -> str:
        """Return the name of a column, or its place."""
        return (self.names.split(",")[place] if self.names else "") or str(place)

    def truth(self) -> dict[str, Any]:
        """Return the options that read the table right."""
        label = {"label_column": None if self.label is None else self.key(self.label)}
        drop = {"drop_columns": ",".join(map(self.key, self.drop))} if self.drop else {}
        return {**self.options, **label, **drop}


class Frame(dict[str, Any]):
    """A stand-in for a DataFrame: its columns by their names."""

    columns = dtypes = property(list)


TRAIN = "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Ticket,Fare,Embarked"
TABLES = [
    # classes of all kinds, beside four real numbers, without names
    *(
        Table(
            "asked", f"{classes} {place}", f"{classes} r r r r" if first else f"r r r r {classes}", label=4 - 4 * first
        )
        for classes in ("0:3", "1:4", "signs", "2or4", "0or10", "once")
        for first, place in enumerate(("last", "first"))
    ),
    Table("asked", "Survived, Sex", "0:2 r r r r 0:2", "Survived,a,b,c,d,Sex", 0),
    Table("asked", "Exited, Gender", "0:2 r r r r 0:2", "Gender,a,b,c,d,Exited", 5),
    Table("asked", "default, kids", "r r r r 0:5 0:2", "a,b,c,d,kids,default", 5),
    Table("asked", "digit", "1:4 r r r r", "digit,a,b,c,d", 0),
    Table("asked", "type", "r r r r 1:4", "a,b,c,d,type", 4),
    Table("asked", "is_fraud", "r r r r 0:2", "a,b,c,d,is_fraud", 4),
    Table("right", "Class Label", "r r r r 1:4", "a,b,c,d,Class Label", 4),
    Table("right", "target_class", "r r r r 1:4", "a,b,c,d,target_class", 4),
    Table("asked", "ids first", "+1001 r r r r", drop=(0,)),
    Table("right", "customer_id", "+1001 r r r r", "customer_id,a,b,c,d", drop=(0,)),
    Table("right", "row_id", "+0 r r r r", "row_id,a,b,c,d", drop=(0,)),
    Table("asked", "index last", "r r r r +0", drop=(4,)),
    Table("asked", "timestamp", "seconds r r r r", "ts,a,b,c,d", drop=(0,)),
    Table("asked", "pixels", f"0:10 {pixels(256)}", label=0),
    Table("asked", "five greys", f"0:10 {pixels(5)}", label=0),
    # UCI
    Table("right", "iris.data", "r r r r Iris-setosa|Iris-versicolor|Iris-virginica", label=4),
    Table("asked", "wine.data", "1:4 r r r 70:163 r", label=0),
    Table("asked", "optdigits", f"{pixels(17)} 0:10", label=100),
    Table("needless", "optdigits without labels", f"{pixels(17)} 0:17"),
    Table("asked", "glass.data", "+1 r r r r 1:8", label=5, drop=(0,)),
    Table("asked", "ionosphere", "0:2 zero r r r g|b", label=5),
    Table("right", "sonar", "r r r r R|M", label=4),
    Table("asked", "wdbc", "ids M|B r r r", label=1, drop=(0,)),
    Table("asked", "breast-cancer-wisconsin", "id 1:11 1:11 1:11 1:11 2or4", label=5, drop=(0,)),
    Table("asked", "winequality", "r r r r 3:9", "fixed acidity,citric acid,pH,alcohol,quality", 4, separator=";"),
    Table("asked", "seeds", "r r r r 1:4", label=4, separator="\t"),
    Table("asked", "letter", "A|B|C|D 0:16 0:16 0:16", label=0),
    Table("asked", "spambase", "r r r 1:70 0:2", label=4),
    Table("asked", "haberman", "30:84 58:70 0:53 1:3", label=3),
    Table("asked", "banknote", "r r r r 0:2", label=4),
    Table("other", "abalone", "M|F|I r r r 1:30", label=4, drop=(0,)),
    Table("told", "housing", "r r r r", "CRIM,ZN,RM,MEDV", 3),
    Table("told", "airfoil", "r r r r", label=3, separator="\t"),
    Table("right", "ecoli", "codes r r cp|im|pp", label=3, drop=(0,), separator="  "),
    Table("asked", "balance-scale", "L|B|R 1:6 1:6 1:6", label=0),
    Table("asked", "dermatology", "r r r gap 1:4", label=4, drop=(3,)),
    # Kaggle
    Table("asked", "titanic", "+1 0:2 1:4 quoted male|female r 0:5 tickets r S|C|Q", TRAIN, 1, (0, 3, 4, 7, 9)),
    Table("right", "Iris.csv", "+1 r r Iris-setosa|Iris-virginica", "Id,SepalLengthCm,SepalWidthCm,Species", 3, (0,)),
    Table("right", "MNIST train", f"0:10 {pixels(256)}", ",".join(["label", *(f"{i}x{i}" for i in range(100))]), 0),
    Table("right", "digit-recognizer test", pixels(256), ",".join(f"pixel{i}" for i in range(100))),
    Table("right", "creditcard", "sorted r r r 0:2", "Time,V1,V2,Amount,Class", 4),
    Table("right", "heart", "29:78 0:2 0:4 94:200 r 0:2", "age,sex,cp,trestbps,oldpeak,target", 5),
    Table("right", "pima", "0:17 0:199 r r 21:81 0:2", "Pregnancies,Glucose,BMI,Pedigree,Age,Outcome", 5),
    Table(
        "asked",
        "churn",
        "+1 ids Hill|Onio 350:850 Female|Male r 0:2",
        "RowNumber,CustomerId,Surname,CreditScore,Gender,Salary,Exited",
        6,
        (0, 1, 2, 4),
    ),
    Table("right", "playground train", "+0 r r r 0:2", "id,f_00,f_01,f_02,target", 4, (0,)),
    Table("right", "playground test", "+900 r r r", "id,f_00,f_01,f_02", drop=(0,)),
    Table("asked", "mobile price", "500:600 0:2 r 0:20 0:4", "battery_power,blue,clock_speed,fc,price_range", 4),
    Table("asked", "house prices", "+1 r 1960:2010 target", "Id,LotFrontage,YearBuilt,SalePrice", 3, (0,)),
    Table("asked", "weather", "dates r r Yes|No", "Date,MinTemp,Rainfall,RainTomorrow", 3, (0,)),
    Table("asked", "pokemon", "+1 names 1:60 5:60 0:2", "#,Name,HP,Attack,Legendary", 4, (0, 1)),
    # R: the name of row names is empty, or missing
    Table("right", "write.csv iris", "+1 r r setosa|virginica", ",a,b,Species", 3, (0,)),
    Table("right", "write.csv reals", "+1 r r", ",v,v2", drop=(0,)),
    Table("right", "write.table", "+1 r r", '"","v","v2"', drop=(0,), separator=" "),
    Table("right", "write.table mtcars", "quoted r r", '"mpg","hp"', drop=(0,), separator=" "),
    Table("right", "write.csv2 row names", "+1 r r", ",a,b", drop=(0,), separator=";", decimal=","),
    Table("right", "write.csv2", "r r", "a,b", separator=";", decimal=","),
    Table("asked", "V1 to V5", "r r r r 1:4", "V1,V2,V3,V4,V5", 4),
    # Excel
    Table("right", "Klasse", "r r 0:3", "a,b,Klasse", 2, separator=";", decimal=",", ending="\r\n"),
    Table("right", "sep=;", "r r", "a,b", separator=";", decimal=",", front="sep=;\r\n"),
    Table("right", "UTF-16", "r r", "a,b", separator="\t", ending="\r\n", encoding="utf-16"),
    Table("right", "byte order mark", "r r x|y", "a,b,target", 2, encoding="utf-8-sig"),
    Table("right", "Latin-1", "r r", "Größe,b", encoding="latin-1"),
    Table("asked", "TRUE and FALSE", "r r logical", "a,b,ok", 2),
    Table("asked", "percent", "percent r", "a,b", drop=(0,)),
    # NumPy and pandas
    Table("right", "savetxt", "r r r r"),
    Table("right", "savetxt with a header", "r r r r", "# a,b,c,d"),
    Table("right", "comments and names", "r r r r", "a,b,c,d", front="# from the lab\n# 2024\n"),
    Table("asked", "savetxt of X and y", "r r r r 0:3", label=4),
    Table("right", "to_csv with an index", "+0 r r r r", ",a,b,c,d", drop=(0,)),
    Table("right", "to_csv shuffled", "shuffled r r r r 0:3", ",a,b,c,d,label", 5, (0,)),
    Table("asked", "names 0 to 4", "r r r r 0:3", "0,1,2,3,4", 4, options={"header": True}),
    Table("needless", "dummies", "0:2 0:2 0:2 r", "b,g,r,v"),
    Table("needless", "points", "r r", "x,y"),
    Table("right", "moons", "r r 0:2", "x1,x2,y", 2),
    Table("right", "embedding", " ".join("r" * 64)),
    Table("asked", "time series", "rising r r", "t,u,v", drop=(0,)),
    Table("needless", "counts of words", "0:4 0:4 0:4 0:4 0:4", "the,of,and,to,in"),
]
FRAMES = [
    Table(
        "right",
        "iris",
        "r r r r 0:3",
        "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm),target",
        4,
    ),
    Table("right", "wine", "r r 70:163 0:3", "alcohol,malic_acid,proline,target", 3),
    Table("right", "breast_cancer", "r r r 0:2", "mean radius,mean texture,worst radius,target", 3),
    Table("right", "digits", f"{pixels(17)} 0:10", ",".join([*(f"pixel_{i}_0" for i in range(100)), "target"]), 100),
    Table("right", "diabetes", "r r outcome", "age,sex,target", 2),
    Table("right", "iris without labels", "r r", "sepal length (cm),petal width (cm)"),
    Table("told", "california", "r r r", "MedInc,HouseAge,MedHouseVal", 2),
    Table("right", "features", "r r r r", "a,b,c,d"),
    Table("right", "label", "r r r r 0:3", "a,b,c,d,label", 4),
    Table("right", "reset_index", "shuffled r r r 0:3", "index,a,b,c,label", 4, (0,)),
    Table("asked", "Survived and Sex", "r r bool 0:2", "a,b,Survived,Sex", 2),
    Table("right", "species", "r r a|b|c", "a,b,species", 2),
    Table("asked", "penguins", "Adelie|Gentoo Biscoe|Dream r r Male|Female", "species,island,bill,mass,sex", 0, (1, 4)),
    Table("other", "tips", "r r Male|Female 1:7", "total_bill,tip,sex,size", 2),
    Table("asked", "mpg", "r 3:9 1600:1700 usa|japan names", "mpg,cylinders,weight,origin,name", 3, (4,)),
    Table("asked", "diamonds", "r Ideal|Good r 326:400 r r", "carat,cut,depth,price,x,y", 1),
    Table("asked", "points and clusters", "r r 0:3", "x,y,cluster", 2),
    Table("needless", "whole features", "18:80 0:5 r", "age,kids,income"),
    Table("right", "columns 0 to 3", "r r r r", "0,1,2,3"),
    Table("asked", "dates and reals", "r r dates", "a,b,t", drop=(2,)),
    Table("right", "OpenML", "r r 1:3", "V1,V2,Class", 2),
]
# what no columns of one text describe: content, features, or why the table is to be changed
REALS = [column("r"), column("r")]
BODY = "".join(f"{a},{b}\n" for a, b in zip(*map(cells, REALS), strict=True))
COMMAS = "".join(f'"{a}","{b}"\n' for a, b in zip(*(cells(one, ",") for one in REALS), strict=True))
OTHERS = {
    "decimal commas in quotes": (f"a,b\r\n{COMMAS}", {}, REALS, ""),
    "empty columns": ("a,b,,\n" + BODY.replace("\n", ",,\n"), {}, REALS, ""),
    "a line break in a name": ('"a\nin mm",b\n' + BODY, {}, REALS, ""),
    "thousands in quotes": ("a,b\n" + "".join(f'"{i:,}",{i / 7:.3f}\n' for i in ROWS + 1000), {}, None, "'1,000'"),
    "1,234 only": ("a;b\n" + "".join(f"{i:,};{i % 9}\n" for i in ROWS + 1000), {}, None, "decimal=','"),
    "errors of Excel": (
        f"a,b\n#N/A,1.5\n2.5,2.25\n#DIV/0!,3.5\n{BODY}",
        {"drop_columns": "a"},
        [np.r_[1.5, 2.25, 3.5, REALS[1]]],
        "column a has no number in 2 of 103 rows, first in line 2",
    ),
    "two lines of names": ("a,b\ncm,kg\n" + BODY, {}, None, "line 2 has names, too"),
    "a decimal comma below one name": (
        "x\n" + "".join(f"{i * i % 71},{i % 7}\n" for i in ROWS),
        {"decimal": ","},
        [np.array([float(f"{i * i % 71}.{i % 7}") for i in ROWS])],
        "'0,0' is one number or two; pass decimal=','",
    ),
    "names of rows below one name": (
        "x\n" + "".join(f"{i + 1},{a}\n" for i, a in enumerate(cells(REALS[0]))),
        {},
        REALS[:1],
        "",
    ),
    "a gap below the first thousand": (
        "a,b\n" + BODY * 11 + "NA,2\n",
        {"drop_columns": "a"},
        [np.r_[np.tile(REALS[1], 11), 2]],
        "column a has no number in 1 of 1101 rows, first in line 1102",
    ),
    "line breaks in quotes behind a space": (
        "a,b,label\n" + BODY.replace("\n", ', "u\nv"\n') + '1,2, "w"\n',
        {},
        [np.r_[one, last] for one, last in zip(REALS, (1, 2), strict=True)],
        "",
    ),
    "empty rows below": ("a,b\n" + BODY * 11 + ",\n,\n", {}, [np.tile(one, 11) for one in REALS], ""),
    "a word below the first thousand": (
        "a,b,label\n" + BODY.replace("\n", ",u\n") * 11 + "1,2,v\n",
        {},
        [np.r_[np.tile(one, 11), last] for one, last in zip(REALS, (1, 2), strict=True)],
        "",
    ),
    "three cells among two": (f"a,b\n{BODY}1,2,3\n", {}, None, "line 102 has 3 cells, and line 2 has 2"),
}


def alike(found: Any, truth: Any) -> bool:
    """Return whether two arrays of labels differ at most in the names of classes."""
    if found is None or truth is None:
        return found is truth
    pairs = {*zip(np.ravel(found).tolist(), np.ravel(truth).tolist(), strict=True)}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def answers(source: Any) -> dict[str, Any]:
    """Return what the questions about a table offer, one after the other, until it is read."""
    given: dict[str, Any] = {}
    for _ in range(3):
        try:
            igb.read_data(source, **given)
        except ValueError as error:
            question = error
        else:
            return given
        offered = getattr(question, "answers", None) or question.__cause__.answers  # type: ignore[union-attr]
        assert all(f"{name}={value!r}" in str(question) for name, value in offered.items())
        assert len(str(question).splitlines()) == 1
        given |= offered
    raise AssertionError("a third question")


def checked(table: Table, columns: list[Any], source: Any, caplog: pytest.LogCaptureFixture) -> None:
    def is_right(**options: Any) -> bool:
        data, labels = igb.read_data(source, **options)
        kept = [i for i in range(len(columns)) if i != table.label and i not in table.drop]
        truth = np.column_stack([np.asarray(columns[i], float) for i in kept])
        same = data.shape == truth.shape and np.allclose(data, truth)
        return same and alike(labels, None if table.label is None else columns[table.label])

    if table.outcome == "right":
        assert is_right()
        assert [record.message for record in caplog.records if "read 100 data of" in record.message]
        return
    if table.outcome == "told":
        assert not is_right()
        assert f"no labels: {table.key(table.label or 0)} is a feature" in caplog.text
    else:
        with pytest.raises(ValueError, match=r"may be labels|looks like an index|words or dates|has names of columns"):
            igb.read_data(source)
        assert is_right(**answers(source)) == (table.outcome == "asked")
    assert is_right(**table.truth())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_file_is_read_right_or_asked_about(table: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    columns = table.columns()
    (tmp_path / "x.csv").write_bytes(table.text(columns))
    checked(table, columns, tmp_path / "x.csv", caplog)


@pytest.mark.parametrize("table", FRAMES, ids=lambda table: table.name)
def test_a_frame_is_read_right_or_asked_about(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    columns = table.columns()
    checked(table, columns, Frame(zip(table.names.split(","), columns, strict=True)), caplog)


@pytest.mark.parametrize("name", OTHERS)
def test_a_table_from_excel_is_read_or_refused_by_its_line(name: str, tmp_path: Path) -> None:
    text, options, truth, words = OTHERS[name]
    (tmp_path / "x.csv").write_text(text)
    if words:
        with pytest.raises(ValueError, match="cannot read") as caught:
            igb.read_data(tmp_path / "x.csv")
        assert words in str(caught.value)
    if truth is not None:
        assert np.allclose(igb.read_data(tmp_path / "x.csv", **options)[0], np.column_stack(truth))


def test_most_tables_are_read_without_a_question() -> None:
    outcomes = Counter(table.outcome for table in TABLES + FRAMES)
    outcomes["right"] += sum(not words for *_, words in OTHERS.values())
    assert len(TABLES) + len(FRAMES) + len(OTHERS) >= 118
    assert outcomes["right"] >= 48
    assert outcomes["needless"] <= 5
    assert outcomes["told"] <= 3
