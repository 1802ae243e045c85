"""What schemathesis cannot know of OTLP: how messages of protobuf are made, and that a body is packed when its header says so."""

import gzip
import struct

import schemathesis
from hypothesis import strategies as st


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def field(number, kind, value):
    return varint(number << 3 | kind) + value


def part(number, message):
    return field(number, 2, varint(len(message)) + message)


# The fields of records and of what is in them have numbers up to 16; each may come as any type.
plain = st.one_of(
    st.builds(lambda n, v: field(n, 0, varint(v)), st.integers(1, 16), st.integers(0, 2**64 - 1)),
    st.builds(lambda n, v: field(n, 1, struct.pack("<Q", v)), st.integers(1, 16), st.integers(0, 2**64 - 1)),
    st.builds(lambda n, v: field(n, 5, struct.pack("<I", v)), st.integers(1, 16), st.integers(0, 2**32 - 1)),
    st.builds(lambda n, v: part(n, v.encode()), st.integers(1, 16), st.text(max_size=20)),
    st.builds(part, st.integers(1, 16), st.sampled_from([bytes(range(1, 17)), bytes(range(1, 9)), bytes(16), b""])),
)
message = st.recursive(
    st.lists(plain, max_size=4).map(b"".join),
    lambda inner: st.lists(st.one_of(plain, st.builds(part, st.integers(1, 16), inner)), max_size=4).map(b"".join),
    max_leaves=8,
)
# A span needs its two ids; to a log these are attributes that cannot be read or texts.
span = st.builds(
    lambda trace, span, rest: part(1, trace) + part(2, span) + rest,
    st.binary(min_size=16, max_size=16),
    st.binary(min_size=8, max_size=8),
    message,
)


def lists(inner):
    """A message with others in its field 2, behind one in its field 1: resources, then scopes."""
    return st.builds(
        lambda first, rest: part(1, first) + b"".join(part(2, r) for r in rest), message, st.lists(inner, max_size=3)
    )


requests = st.lists(lists(lists(st.one_of(message, span))), max_size=3).map(lambda all: b"".join(part(1, r) for r in all))
schemathesis.openapi.media_type("application/x-protobuf", requests)


# Nothing in OTLP has to be there, so that what is made at random ends before the records. Here these lists hold something.
FULL = {
    "ExportLogsServiceRequest": "resourceLogs",
    "ResourceLogs": "scopeLogs",
    "ScopeLogs": "logRecords",
    "ExportTraceServiceRequest": "resourceSpans",
    "ResourceSpans": "scopeSpans",
    "ScopeSpans": "spans",
    "ExportMetricsServiceRequest": "resourceMetrics",
    "ResourceMetrics": "scopeMetrics",
    "ScopeMetrics": "metrics",
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for message, member in FULL.items():
        component = raw_schema["components"]["schemas"][message]
        component["required"] = [member]
        component["properties"][member]["minItems"] = 1


@schemathesis.check
def nothing_refused(ctx, response, case):
    """Of JSON that is as the document says the daemon understands every record."""
    if case.meta is None or not case.meta.generation.mode.is_positive or case.media_type != "application/json":
        return
    if response.status_code == 200:
        said = response.json().get("partialSuccess", {}).get("errorMessage", "")
        assert "record " not in said, f"a valid body is refused in part: {said}"


def pack(request):
    if request.headers.get("Content-Encoding") in ("gzip", b"gzip"):
        body = request.body or b""
        request.body = gzip.compress(body.encode() if isinstance(body, str) else body, mtime=0)
    return request


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.path.startswith("/v1/"):
        kwargs["auth"] = pack  # is called with the request as it will be sent
