"""The fetch path against responses made by hand in OpenML's format: there is no network in the tests.

They go through scikit-learn's own client and parser, so what is tested is everything but
the wire and the content of the real sets.
"""

import gzip
import hashlib
import io
import json
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.datasets import _openml

from fisherset.datasets import DatasetNotFoundError, load

ROWS = [("april", "lt-norm", 3, "rust"), ("?", "gt-norm", 5, "blight"), ("may", "norm", 4, "rust")] * 110
ARFF = (
    "@RELATION made-by-hand\n"
    "@ATTRIBUTE date {may,april}\n"
    "@ATTRIBUTE precip {lt-norm,norm,gt-norm}\n"
    "@ATTRIBUTE size INTEGER\n"
    "@ATTRIBUTE class {rust,blight}\n"
    "@DATA\n" + "\n".join(",".join(map(str, row)) for row in ROWS) + "\n"
)
FEATURES = [("date", "nominal"), ("precip", "nominal"), ("size", "numeric"), ("class", "nominal")]


def answers():
    description = {
        "id": "42",
        "name": "soybean",
        "description": "made by hand",
        "version": "1",
        "format": "ARFF",
        "status": "active",
        "file_id": "42",
        "default_target_attribute": "class",
        "url": "https://www.openml.org/data/v1/download/42/soybean.arff",
        "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
    }
    features = [
        {
            "index": str(place),
            "name": name,
            "data_type": kind,
            "is_target": str(name == "class").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for place, (name, kind) in enumerate(FEATURES)
    ]
    return {
        "json/data/42": json.dumps({"data_set_description": description}),
        "json/data/features/42": json.dumps({"data_features": {"feature": features}}),
        "json/data/qualities/42": json.dumps({"data_qualities": {"quality": []}}),
        "soybean.arff": ARFF,
        "download/42": ARFF,  # where older versions of scikit-learn look
    }


class Response(io.BytesIO):
    def info(self):
        return {"Content-Encoding": "gzip"}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A network that knows one data set; returns the list of addresses asked."""
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    addresses = []

    def urlopen(request, *_, **__):
        addresses.append(request.full_url)
        body = next(text for end, text in answers().items() if request.full_url.endswith(end))
        return Response(gzip.compress(body.encode()))

    monkeypatch.setattr(_openml, "urlopen", urlopen)
    return addresses


def test_openml_table_comes_as_the_files_do(asked):
    X, y, classes, names = load("soybean")
    assert X.shape == (307, 3)  # the first 307 rows
    # values are numbered as the source declares them, what is missing is NaN
    np.testing.assert_array_equal(X[:3], [[1, 0, 3], [np.nan, 2, 5], [0, 1, 4]])
    assert classes[y[:3]].tolist() == ["rust", "blight", "rust"]
    assert y.dtype == np.int32
    assert names.tolist() == ["date", "precip", "size"]


def test_cache_is_asked_before_the_network(asked):
    load("soybean")
    first = len(asked)
    assert first > 0
    load("soybean")
    assert len(asked) == first


def test_file_is_asked_before_the_fetcher(asked, tmp_path):
    np.savez(tmp_path / "soybean.npz", X=np.ones((2, 1)), y=[0, 1], classes=["a", "b"])
    assert load("soybean", data_dir=tmp_path).X.shape == (2, 1)
    assert asked == []


def test_no_network_is_one_clear_sentence(monkeypatch, tmp_path):
    def urlopen(*_, **__):
        raise URLError("Name or service not known")

    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(_openml, "urlopen", urlopen)
    monkeypatch.setattr(_openml.time, "sleep", lambda _: None)
    with pytest.raises(
        DatasetNotFoundError, match=r"(?s)soybean\.npz.*OpenML.*service not known.*the file, or a network\.$"
    ):
        load("soybean")


def test_faces_are_halved_in_size(monkeypatch, tmp_path):
    from sklearn.utils import Bunch

    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    images = np.random.default_rng(0).random((400, 64, 64), dtype=np.float32)
    faces = Bunch(images=images, target=np.repeat(np.arange(40), 10))
    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", lambda: faces)
    X, y, classes, _ = load("orl")
    assert X.shape == (400, 1024)
    assert np.bincount(y).tolist() == [10] * 40
    assert classes[y[-1]] == 40
    # column by column, as the file has it: the second value is the pixel below the first
    assert X[7, 1] == np.round(255 * images[7, 2:4, 0:2].mean(dtype=np.float64))
