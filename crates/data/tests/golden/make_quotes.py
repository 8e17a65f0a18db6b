"""Tables with quotes of every kind, as Python's csv module reads them: writes quotes.json beside this file."""

import csv
import io
import json
import pathlib

TABLES = [
    "x1,note,y\n1,plain,a\n2,,b\n",
    'x1,note,y\n1,5" pipe,a\n2,3" pipe,b\n',
    'x1,note,y\n1,"5"" pipe",a\n2,"",b\n',
    'x1,note,y\n1,"a, b",a\n2,"two\nlines",b\n',
    'x1,note,y\r\n1,"two\r\nlines",a\r\n2,x,b\r\n',
    'x1,note,y\n1,"5" pipe,a\n2,"5"",b\n3,x",c\n',
    'x1,note,y\n1,"open,a\n2,closed",b\n3,x,c\n',
    'x1,note,y\n\n1,a,b\n\n\n2,c,d',
    'x1,note,y\n1, "space before",a\n2,"space behind" ,b\n',
    'x1;note;y\n1;"a; b";c\n',
    'x1,note,y\n1,"""",a\n2,"""x""",b\n',
]


def rows(text):
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if text.startswith("x1;") else ",")
    return [row for row in reader if row]


found = [{"text": text, "rows": rows(text)} for text in TABLES]
path = pathlib.Path(__file__).with_name("quotes.json")
path.write_text(json.dumps(found, indent=1) + "\n")
