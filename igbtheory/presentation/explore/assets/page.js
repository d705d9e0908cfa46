/* What links the controls to each other and to the address of the page. */
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  explore: {
    /* A field follows its slider, and the slider its field if it can show the number. */
    follow: (field, slider, least, most) => {
      const unchanged = window.dash_clientside.no_update;
      const moved = window.dash_clientside.callback_context.triggered_id ?? "";
      if (moved.endsWith("-slider")) return [String(slider), unchanged];
      const number = String(field).trim() === "" ? NaN : Number(field);
      return [unchanged, number >= least && number <= most ? number : unchanged];
    },

    /* The address holds the values that differ from the first ones, and those of the pinned network. */
    write: (...given) => {
      const start = given.pop(), pinned = given.pop();
      const query = new URLSearchParams();
      Object.keys(start).forEach((name, i) => {
        const value = String(given[i] ?? "");
        if (value !== start[name]) query.set(name, value);
      });
      const differs = Object.entries(pinned ?? {}).filter(([name, value]) => value !== start[name]);
      if (pinned) query.set("pinned", JSON.stringify(Object.fromEntries(differs)));
      window.history.replaceState(null, "", query.size ? `?${query}` : window.location.pathname);
    },

    read: (search, start) => {
      const unchanged = window.dash_clientside.no_update;
      const query = new URLSearchParams(search);
      let pinned = unchanged;
      try {
        if (query.has("pinned")) pinned = { ...start, ...JSON.parse(query.get("pinned")) };
      } catch {
        /* an address that was cut off pins nothing, and the reason shows what is left of it */
        pinned = { ...start, depth: query.get("pinned") };
      }
      return [...Object.keys(start).map((name) => query.get(name) ?? unchanged), pinned];
    },

    reset: (clicks, start) => [...Object.values(start), null],

    /* Pin the values of the controls, or let the pinned ones go. */
    pin: (clicks, start, pinned, ...values) =>
      pinned ? null : Object.fromEntries(Object.keys(start).map((name, i) => [name, values[i] ?? ""])),
  },
});
