"""Series matrices of GEO, as they are downloaded, against the same table written plainly."""

import gzip

import numpy as np
import pytest

from fisherset.tables import Identifiers, Layout, read_table
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.table import read_content, reduce_content

SAMPLES = ["GSM101", "GSM102", "GSM103", "GSM104"]
PROBES = ["1007_s_at", "1053_at", "117_at"]
X = np.array([[7.21, 5.5, 3.0], [8.02, 5.25, 3.125], [7.4, 6.0, 2.5], [8.3, 6.75, 2.0]])
HEAD = """\
!Series_title\t"Tumour and normal tissue of the ""colon\"""
!Series_geo_accession\t"GSE1"
!Series_sample_id\t"GSM101 GSM102 GSM103 GSM104 "
!Series_platform_id\t"GPL96"

!Sample_title\t"Tumour, 1"\t"Normal, 1"\t"Tumour, 2"\t"Normal, 2"
!Sample_geo_accession\t"GSM101"\t"GSM102"\t"GSM103"\t"GSM104"
!Sample_channel_count\t"1"\t"1"\t"1"\t"1"
!Sample_source_name_ch1\t"colon"\t"colon"\t"colon"\t"colon"
!Sample_characteristics_ch1\t"tissue: tumour"\t"tissue: normal"\t"tissue: tumour"\t"tissue: normal"
!Sample_characteristics_ch1\t"age: 61"\t"age: 48"\t"stage: II: late"\t"age: 70"
!Sample_characteristics_ch1\t"stage: III"\t""\t"age: NA"\t"treated"
!Sample_data_processing\t"MAS 5"\t"MAS 5"\t"MAS 5"\t"MAS 5"
!Sample_data_processing\t"log2"\t"log2"\t"log2"\t"log2"
!Sample_relation\t""\t""\t""\t""
"""
TABLE = """\
!series_matrix_table_begin
"ID_REF"\t"GSM101"\t"GSM102"\t"GSM103"\t"GSM104"
"1007_s_at"\t7.21\t8.02\t7.4\t8.3
"1053_at"\t5.5\t5.25\t6\t6.75
"117_at"\t3.0\t3.125\t2.5\t2
!series_matrix_table_end
"""
LABELS = {
    "title": ["Tumour, 1", "Normal, 1", "Tumour, 2", "Normal, 2"],
    "channel_count": ["1"] * 4,
    "source_name_ch1": ["colon"] * 4,
    "tissue": ["tumour", "normal"] * 2,
    "age": ["61", "48", None, "70"],
    "stage": ["III", None, "II: late", None],
    "characteristics_ch1": [None, None, None, "treated"],
    "data_processing": ["MAS 5"] * 4,
    "data_processing_2": ["log2"] * 4,
}


def write(path, text, encoding="utf-8"):
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


WAYS = {
    "as it is": lambda text: text,
    "without quotes": lambda text: text.replace('""', "'").replace('"', ""),
    "quoted numbers": lambda text: text.replace("\t7.21\t", '\t"7.21"\t'),
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
    "a byte-order mark": lambda text: f"\ufeff{text}",
    "no last line break": lambda text: text.rstrip("\n"),
    "notes in another order": lambda text: text.replace(
        '!Sample_channel_count\t"1"\t"1"\t"1"\t"1"\n', ""
    ).replace("!Sample_data", '!Sample_channel_count\t"1"\t"1"\t"1"\t"1"\n!Sample_data', 1),
}


@pytest.mark.parametrize("name", ["GSE1_series_matrix.txt.gz", "GSE1_series_matrix.txt", "t.tsv", "t.csv"])
@pytest.mark.parametrize("way", WAYS)
def test_a_series_matrix_is_a_table_of_samples(way, name, tmp_path):
    path = write(tmp_path / name, WAYS[way](HEAD + TABLE))
    found = read_content(path)
    assert found.names == PROBES
    np.testing.assert_array_equal(found.X, X)
    assert found.ids == Identifiers("id", SAMPLES)
    if way != "without quotes":
        assert {label: values.tolist() for label, values in found.annotations.items()} == LABELS
    table = read_table(path, "tissue")
    assert table.y.tolist() == LABELS["tissue"]
    assert table.names == PROBES
    np.testing.assert_array_equal(table.X, X)


def test_numbers_to_be_explained(tmp_path):
    text = HEAD.replace("age: NA", "age: 55.5")
    table = read_table(write(tmp_path / "t.txt", text + TABLE), "age", task="regression")
    assert table.y.tolist() == [61.0, 48.0, 55.5, 70.0]


def test_a_note_names_the_rows(tmp_path):
    table = read_table(write(tmp_path / "t.txt", HEAD + TABLE), "tissue", layout=Layout(identifier="title"))
    assert table.ids == Identifiers("title", LABELS["title"])


@pytest.mark.parametrize("gap", ["", "null", "NA", '""', "NaN"])
def test_cells_without_a_number_are_gaps(gap, tmp_path):
    path = write(tmp_path / "t.txt", HEAD + TABLE.replace("\t5.25\t", f"\t{gap}\t"))
    with pytest.raises(ValueError, match=r"'1053_at' has missing values.*impute="):
        read_table(path, "tissue")
    table = read_table(path, "tissue", impute="median")
    assert table.X[:, 1].tolist() == [5.5, 6.0, 6.0, 6.75]


def test_notes_are_found_by_the_sample_whatever_its_place(tmp_path):
    turned = TABLE.replace('"GSM101"\t"GSM102"', '"GSM102"\t"GSM101"')
    found = read_content(write(tmp_path / "t.txt", HEAD + turned))
    assert found.ids.values == ["GSM102", "GSM101", "GSM103", "GSM104"]
    assert found.annotations["tissue"].tolist() == ["normal", "tumour", "tumour", "normal"]
    np.testing.assert_array_equal(found.X, X)


def test_a_note_called_like_a_field(tmp_path):
    found = read_content(write(tmp_path / "t.txt", HEAD.replace("age: 61", "title: x") + TABLE))
    assert found.annotations["title"].tolist() == LABELS["title"]
    assert found.annotations["title (characteristics_ch1)"].tolist() == ["x", None, None, None]


def test_notes_of_another_encoding(tmp_path):
    text = HEAD.replace("tissue: tumour", "tissue: M\u00fcller")
    found = read_content(write(tmp_path / "t.txt", text + TABLE, "latin-1"))
    assert found.annotations["tissue"].tolist() == ["M\u00fcller", "normal"] * 2


def test_a_series_may_be_the_labels_of_another_table(tmp_path):
    head = TABLE.splitlines(keepends=True)
    bare = write(tmp_path / "GSE1.txt", HEAD + "".join([*head[:2], head[-1]]))
    (tmp_path / "counts.csv").write_text("gene,GSM103,GSM101,GSM102\na,1,2,3\nb,4,5,7\n")
    layout = Layout(transpose=True, labels=bare)
    with pytest.warns(UserWarning, match=r"GSE1\.txt has 1 rows that are not in counts\.csv"):
        table = read_table(tmp_path / "counts.csv", "tissue", layout=layout)
    assert table.y.tolist() == ["tumour", "tumour", "normal"]
    with pytest.raises(ValueError, match=r"GSE1\.txt has no features: only the target"):
        read_table(bare, "tissue")


def test_a_new_series_is_reduced(tmp_path):
    found = read_content(write(tmp_path / "t.txt", HEAD + TABLE), strings=["tissue"], columns=["117_at"])
    np.testing.assert_array_equal(reduce_content(found, [Feature("117_at", "117_at")])[:, 0], X[:, 2])


REFUSED = {
    "another target": (HEAD + TABLE, "tisue", "no target 'tisue'; it has 'title', .* Did you mean 'tissue'"),
    "cut off": (
        HEAD + TABLE.rpartition("!")[0],
        "tissue",
        "lacks the line !series_matrix_table_end; is it damaged",
    ),
    "no table": (HEAD, "tissue", "lacks the line !series_matrix_table_begin"),
    "texts for numbers": (
        HEAD + TABLE.replace("5.25", "high"),
        "tissue",
        "holds no table of numbers.*'high'",
    ),
    "a cell too few": (
        HEAD + TABLE.replace("\t5.25", ""),
        "tissue",
        "holds no table of numbers, or is damaged",
    ),
    "other samples": (
        HEAD + TABLE.replace("GSM104", "GSM999"),
        "tissue",
        "its table has other samples than !Sample_geo_accession",
    ),
    "a note too few": (
        HEAD.replace('!Sample_channel_count\t"1"', "!Sample_channel_count") + TABLE,
        "tissue",
        "the line !Sample_channel_count has other samples than",
    ),
    "a probe twice": (
        HEAD + TABLE.replace("117_at", "1053_at"),
        "tissue",
        "columns of the same name: '1053_at'",
    ),
    "a gap among the labels": (
        HEAD + TABLE,
        "age",
        "The target .age. of t.txt is missing in 1 of the rows 1 to 4",
    ),
    "no samples": (
        HEAD + TABLE.replace('"ID_REF"\t"GSM101"', '"ID_REF"\n"GSM101"'),
        "tissue",
        "has no samples in its",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_damaged_series_are_refused(case, tmp_path):
    text, target, said = REFUSED[case]
    with pytest.raises(ValueError, match=said):
        read_table(write(tmp_path / "t.txt", text), target)


def test_a_packed_series_that_is_cut_off(tmp_path):
    path = write(tmp_path / "t.txt.gz", HEAD + TABLE)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=r"t\.txt\.gz cannot be read; is it damaged or truncated"):
        read_content(path)
