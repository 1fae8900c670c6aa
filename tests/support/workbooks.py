"""Workbooks written by hand: .xlsx and .ods with numbers, strings, booleans, dates and empty cells."""

import datetime
import zipfile
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DAY_0 = datetime.datetime(1899, 12, 30)
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def letters(column):
    """A for 0, AA for 26."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def _xlsx_cell(value, place):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, datetime.datetime):
        return f'<c r="{place}" s="1"><v>{(value - DAY_0) / datetime.timedelta(1)!r}</v></c>'
    if isinstance(value, str) and value.startswith("#"):  # an error, such as #N/A
        return f'<c r="{place}" t="e"><v>{value}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'


def _xlsx_sheet(rows):
    lines = (
        f'<row r="{i + 1}">'
        + "".join(_xlsx_cell(value, f"{letters(j)}{i + 1}") for j, value in enumerate(row))
        + "</row>"
        for i, row in enumerate(rows)
    )
    return f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def write_xlsx(path, sheets, hidden=()):
    """Write sheets, a dict of names and rows."""
    numbered = list(enumerate(sheets, 1))
    states = {name: "hidden" if name in hidden else "visible" for name in sheets}
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="rId{i}" state="{states[name]}"/>'
        for i, name in numbered
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{kind}.worksheet+xml"/>'
        for i, _ in numbered
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
            f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>{parts}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{related}<Relationship Id="rId999" '
            f'Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/styles.xml",
            f'{HEAD}<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/>'
            f"</cellXfs></styleSheet>",
        )
        for (i, _), rows in zip(numbered, sheets.values(), strict=True):
            archive.writestr(f"xl/worksheets/sheet{i}.xml", _xlsx_sheet(rows))


def _ods_cell(value):
    def cell(kind, attribute, shown):
        return (
            f'<table:table-cell office:value-type="{kind}"{attribute}><text:p>{shown}</text:p>'
            f"</table:table-cell>"
        )

    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return cell("boolean", f' office:boolean-value="{str(value).lower()}"', str(value).upper())
    if isinstance(value, datetime.datetime):
        return cell("date", f' office:date-value="{value.isoformat()}"', value.isoformat())
    if isinstance(value, str):
        return cell("string", "", escape(value))
    return cell("float", f' office:value="{value!r}"', repr(value))


def write_ods(path, sheets):
    """Write sheets, a dict of names and rows, each followed by the empty rows that programs write."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        'table:number-columns-repeated="1024"/></table:table-row></table:table>'
        for name, rows in sheets.items()
    )
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    mime = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", mime, zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/manifest.xml",
            f'{HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/></manifest:manifest>',
        )
        archive.writestr(
            "content.xml",
            f"{HEAD}<office:document-content {spaces}><office:body><office:spreadsheet>{tables}"
            f"</office:spreadsheet></office:body></office:document-content>",
        )


def rows_of(table):
    """The rows of a data frame, the names of its columns first."""
    return [list(table.columns), *(list(row) for row in table.astype(object).itertuples(index=False))]
