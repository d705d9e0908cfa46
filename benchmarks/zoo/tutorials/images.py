"""Models of images, as their tutorials write them."""

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn


class LeNet5(nn.Module):
    """LeCun's network: tanh and averages."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.conv3 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5), nn.Conv2d(16, 120, 5)
        self.pool = nn.AvgPool2d(2)
        self.fc1, self.fc2 = nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(torch.tanh(self.conv1(x)))
        x = self.pool(torch.tanh(self.conv2(x)))
        x = torch.tanh(self.conv3(x)).flatten(1)
        return self.fc2(torch.tanh(self.fc1(x)))


class MnistExample(nn.Module):
    """The network of PyTorch's example for MNIST."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.conv2(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.dropout2(x)
        x = self.fc2(x)
        return F.log_softmax(x, dim=1)


class CifarTutorial(nn.Module):
    """The network of PyTorch's tutorial for CIFAR-10."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class VggStyle(nn.Module):
    """Pairs of convolutions with BatchNorm, each with a pool and Dropout2d behind it."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(*self.block(3, 32), *self.block(32, 64))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(64 * 8 * 8, 128), nn.ReLU(), nn.Linear(128, 10))

    @staticmethod
    def block(channels, out):
        return (
            *(nn.Conv2d(channels, out, 3, padding="same"), nn.BatchNorm2d(out), nn.ReLU()),
            *(nn.Conv2d(out, out, 3, padding="same"), nn.BatchNorm2d(out), nn.ReLU()),
            *(nn.MaxPool2d(2), nn.Dropout2d(0.1)),
        )

    def forward(self, x):
        return self.classifier(self.features(x))


class SqueezeExcite(nn.Module):
    """A convolution whose channels are weighed by gates, which read the means of the channels."""

    def __init__(self, width=32, reduction=4):
        super().__init__()
        self.stem, self.conv = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Linear(width, width // reduction), nn.ReLU(), nn.Linear(width // reduction, width), nn.Sigmoid()
        )
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = F.relu(self.conv(F.relu(self.stem(x))))
        b, c, _, _ = x.size()
        y = self.fc(self.pool(x).view(b, c)).view(b, c, 1, 1)
        x = x * y.expand_as(x)
        return self.head(self.pool(x).flatten(1))


class DepthwiseSeparable(nn.Module):
    """Depthwise and pointwise convolutions, as in MobileNet."""

    def __init__(self):
        super().__init__()

        def separable(channels, out, stride):
            return nn.Sequential(
                *(nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), nn.BatchNorm2d(channels)),
                *(nn.ReLU6(inplace=True), nn.Conv2d(channels, out, 1, bias=False), nn.BatchNorm2d(out)),
                nn.ReLU6(inplace=True),
            )

        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6(inplace=True))
        self.blocks = nn.Sequential(separable(16, 32, 1), separable(32, 64, 2), separable(64, 64, 1))
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        x = x.mean([2, 3])
        return self.fc(x)


class PaddedBlock(nn.Module):
    """A block of a ResNet for CIFAR-10 whose shortcut drops pixels and pads channels with zeros."""

    def __init__(self, channels, out, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.stride, self.pad = stride, (out - channels) // 2

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        shortcut = x
        if self.stride != 1:
            shortcut = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.pad, self.pad), "constant", 0)
        return F.relu(out + shortcut)


class CifarResNet(nn.Module):
    """He's ResNet for CIFAR-10 with shortcuts of kind A."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)
        self.layer1 = PaddedBlock(16, 16)
        self.layer2 = PaddedBlock(16, 32, 2)
        self.layer3 = PaddedBlock(32, 64, 2)
        self.linear = nn.Linear(64, 10)
        for m in self.modules():
            if isinstance(m, nn.Linear | nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer3(self.layer2(self.layer1(out)))
        out = F.avg_pool2d(out, out.size()[3])
        out = out.view(out.size(0), -1)
        return self.linear(out)


class PreActivation(nn.Module):
    """Residual blocks with BatchNorm and ReLU in front of each convolution."""

    def __init__(self, width=32, depth=2):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width) for _ in range(2 * depth)])
        self.convs = nn.ModuleList([nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2 * depth)])
        self.fc = nn.Linear(width, 10)
        self.depth = depth

    def forward(self, x):
        x = self.stem(x)
        for i in range(self.depth):
            y = self.convs[2 * i](F.relu(self.norms[2 * i](x)))
            x = x + self.convs[2 * i + 1](F.relu(self.norms[2 * i + 1](y)))
        return self.fc(F.adaptive_avg_pool2d(F.relu(x), 1).squeeze(-1).squeeze(-1))


class Dense(nn.Module):
    """A dense block: every convolution reads all maps in front of it."""

    def __init__(self, growth=12, depth=3):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.layers = nn.ModuleList(
            [
                nn.Sequential(
                    *(nn.BatchNorm2d(16 + i * growth), nn.ReLU()),
                    nn.Conv2d(16 + i * growth, growth, 3, padding=1, bias=False),
                )
                for i in range(depth)
            ]
        )
        self.fc = nn.Linear(16 + depth * growth, 10)

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(F.relu(x), (1, 1)), 1))


class Inception(nn.Module):
    """A block of four branches that are concatenated."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, 2, 1)
        self.b1 = nn.Conv2d(32, 16, 1)
        self.b2 = nn.Sequential(nn.Conv2d(32, 16, 1), nn.ReLU(), nn.Conv2d(16, 24, 3, padding=1))
        self.b3 = nn.Sequential(nn.Conv2d(32, 8, 1), nn.ReLU(), nn.Conv2d(8, 16, 5, padding=2))
        self.b4 = nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(32, 8, 1))
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(torch.cat([self.b1(x), self.b2(x), self.b3(x), self.b4(x)], dim=1))
        return self.fc(x.mean(dim=(2, 3)))


class TimeSeries(nn.Module):
    """Convolutions along time, of which the last ones are dilated."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(3, 32, 7, padding=3)
        self.conv2 = nn.Conv1d(32, 64, 3, padding=2, dilation=2)
        self.conv3 = nn.Conv1d(64, 64, 3, padding=4, dilation=4)
        self.fc = nn.Linear(64, 6)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.conv1(x)), 2)
        x = F.relu(self.conv3(F.relu(self.conv2(x))))
        return self.fc(x.mean(-1))


class GroupNorms(nn.Module):
    """Convolutions with GroupNorm and InstanceNorm, and SiLU."""

    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(3, 32, 3, padding=1), nn.GroupNorm(8, 32)
        self.conv2, self.norm2 = nn.Conv2d(32, 64, 3, 2, 1), nn.InstanceNorm2d(64)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.silu(self.norm1(self.conv1(x)))
        x = F.silu(self.norm2(self.conv2(x)))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class UNet(nn.Module):
    """Two levels down and up; the maps of the way down are concatenated to those of the way up."""

    def __init__(self, classes=3):
        super().__init__()
        self.down1, self.down2, self.bottom = self.double(1, 16), self.double(16, 32), self.double(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)
        self.merge2, self.merge1 = self.double(64, 32), self.double(32, 16)
        self.out = nn.Conv2d(16, classes, 1)

    @staticmethod
    def double(channels, out):
        return nn.Sequential(
            nn.Conv2d(channels, out, 3, padding=1), nn.ReLU(), nn.Conv2d(out, out, 3, padding=1), nn.ReLU()
        )

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        x = self.bottom(self.pool(b))
        x = self.merge2(torch.cat([b, self.up2(x)], dim=1))
        x = self.merge1(torch.cat([a, self.up1(x)], dim=1))
        return self.out(x)


class VAE(nn.Module):
    """The variational autoencoder of PyTorch's examples."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


class Discriminator(nn.Module):
    """The discriminator of PyTorch's tutorial on DCGAN, without its sigmoid."""

    def __init__(self, width=16):
        super().__init__()
        self.main = nn.Sequential(
            *(nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)),
            *(nn.Conv2d(width, 2 * width, 4, 2, 1, bias=False), nn.BatchNorm2d(2 * width)),
            *(nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(2 * width, 4 * width, 4, 2, 1, bias=False)),
            *(nn.BatchNorm2d(4 * width), nn.LeakyReLU(0.2, inplace=True)),
            nn.Conv2d(4 * width, 1, 4, 1, 0, bias=False),
        )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight.data, 0.0, 0.02)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.normal_(m.weight.data, 1.0, 0.02)
                nn.init.constant_(m.bias.data, 0)

    def forward(self, x):
        return self.main(x).view(-1, 1)


class DuelingDQN(nn.Module):
    """Values and advantages of actions, joined by their mean."""

    def __init__(self, actions=6):
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU()),
            *(nn.Conv2d(64, 64, 3, 1), nn.ReLU(), nn.Flatten()),
        )
        self.value = nn.Sequential(nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 1))
        self.advantage = nn.Sequential(nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, actions))

    def forward(self, x):
        x = self.features(x / 255.0)
        value, advantage = self.value(x), self.advantage(x)
        return value + advantage - advantage.mean(dim=1, keepdim=True)


class PointNet(nn.Module):
    """Points through shared layers, and the maximum over them."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(3, 64, 1), nn.Conv1d(64, 128, 1)
        self.bn1, self.bn2 = nn.BatchNorm1d(64), nn.BatchNorm1d(128)
        self.fc1, self.fc2 = nn.Linear(128, 64), nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.bn2(self.conv2(x))
        x = torch.max(x, 2, keepdim=True)[0]
        x = x.view(-1, 128)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)
