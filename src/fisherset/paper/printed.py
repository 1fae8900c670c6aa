"""The figures of Gu, Li and Han (2011) as printed: accuracy in per cent, mean and standard deviation."""

from __future__ import annotations

# Table 1: samples, features, classes; ORL and USPS from sections 4.2 and 4.3
SIZES = {
    "ionosphere": (351, 34, 2),
    "sonar": (208, 60, 2),
    "protein": (116, 20, 6),
    "soybean": (307, 35, 19),
    "orl": (400, 1024, 40),
    "usps": (2007, 256, 10),
}

# Tables 2, 3 and 4
ACCURACY: dict[str, dict[str, tuple[float, float]]] = {
    "ionosphere": {
        "hsic": (87.97, 2.15),
        "fisher": (87.97, 1.96),
        "laplacian": (83.29, 2.10),
        "trace-ratio-fs": (88.23, 2.32),
        "trace-ratio-ls": (83.66, 2.48),
        "gfs": (89.14, 2.02),
    },
    "sonar": {
        "hsic": (81.70, 3.61),
        "fisher": (81.31, 3.48),
        "laplacian": (80.87, 3.51),
        "trace-ratio-fs": (81.36, 3.19),
        "trace-ratio-ls": (81.07, 3.50),
        "gfs": (82.33, 3.97),
    },
    "protein": {
        "hsic": (59.39, 8.71),
        "fisher": (67.63, 6.77),
        "laplacian": (67.19, 6.64),
        "trace-ratio-fs": (67.72, 6.52),
        "trace-ratio-ls": (68.60, 6.05),
        "gfs": (69.21, 5.87),
    },
    "soybean": {
        "hsic": (86.54, 4.23),
        "fisher": (76.31, 3.28),
        "laplacian": (78.10, 3.77),
        "trace-ratio-fs": (76.54, 3.80),
        "trace-ratio-ls": (77.91, 3.34),
        "gfs": (87.06, 2.50),
    },
    "orl": {
        "hsic": (74.47, 3.08),
        "fisher": (86.92, 2.76),
        "laplacian": (77.10, 2.88),
        "trace-ratio-fs": (86.78, 3.65),
        "trace-ratio-ls": (77.03, 2.93),
        "gfs": (88.78, 2.82),
    },
    "usps": {
        "hsic": (85.61, 1.06),
        "fisher": (91.85, 0.82),
        "laplacian": (83.90, 1.05),
        "trace-ratio-fs": (91.83, 0.81),
        "trace-ratio-ls": (83.33, 1.51),
        "gfs": (92.69, 1.16),
    },
}

# Section 4.3, said in words: "about 80 %" and "roughly 50 %" with 10 features on USPS
TEN_FEATURES = {"usps": {"gfs": 80.0, "fisher": 50.0}}
