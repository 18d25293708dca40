"""Schemas of rows that arrive in parts: their types, their form in Parquet, and whether further rows fit."""

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from openmeva.metrics.core.writing import MAX_DEPTH, has_empty_struct, parquet_depth, string_column

_EXACT = 2**53  # up to here a float represents every integer exactly


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with the columns of a wider schema, in its order; missing columns are null."""
    if table.schema.equals(schema):
        return table
    combined = pa.concat_tables([schema.empty_table(), table], promote_options="permissive")
    return combined.select(schema.names).combine_chunks()


def to_parquet_types(table: pa.Table) -> pa.Table:
    """The table in the form stored in Parquet: columns of objects without fields become texts, as in `write_rows`."""
    for index, column in enumerate(table.schema):
        if has_empty_struct(column.type):
            table = table.set_column(index, column.name, string_column(table[column.name].to_pylist()))
    return table


def from_parquet_types(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Undoes `to_parquet_types`: a table whose object columns have the types of the whole input.

    Args:
        table: some of the rows.
        schema: stored schema of all rows: objects if any row has a field in them, else texts.
    """
    for index, column in enumerate(table.schema):
        kind, values = schema.field(column.name).type, table[column.name]
        if pa.types.is_string(column.type) and pa.types.is_nested(kind):
            objects = [None if text is None else json.loads(text) for text in values.to_pylist()]
            table = table.set_column(index, column.name, pa.array(objects, kind))
        elif pa.types.is_nested(column.type) and pa.types.is_string(kind):
            table = table.set_column(index, column.name, string_column(values.to_pylist()))
    return table


def without_views(schema: pa.Schema) -> pa.Schema:
    """The schema with ordinary types for views of texts and bytes, of which Arrow cannot take rows.

    >>> without_views(pa.schema([("story", pa.string_view())]))
    story: large_string
    """
    return pa.schema([_without_views(field) for field in schema])


def _without_views(field: pa.Field) -> pa.Field:
    kind = field.type
    if pa.types.is_string_view(kind):
        return field.with_type(pa.large_string())
    if pa.types.is_binary_view(kind):
        return field.with_type(pa.large_binary())
    if pa.types.is_struct(kind):
        return field.with_type(
            pa.struct([_without_views(kind.field(index)) for index in range(kind.num_fields)])
        )
    if pa.types.is_map(kind):
        return field.with_type(pa.map_(_without_views(kind.key_field), _without_views(kind.item_field)))
    if pa.types.is_fixed_size_list(kind):
        return field.with_type(pa.list_(_without_views(kind.value_field), kind.list_size))
    if pa.types.is_list(kind):
        return field.with_type(pa.list_(_without_views(kind.value_field)))
    return (
        field.with_type(pa.large_list(_without_views(kind.value_field)))
        if pa.types.is_large_list(kind)
        else field
    )


def merged_schema(schema: pa.Schema | None, table: pa.Table, wide: set[str]) -> pa.Schema:
    """A schema in which both the earlier rows and a table can be written.

    Args:
        schema: schema of the earlier rows.
        table: further rows.
        wide: paths of columns with integers that a float cannot represent; those of the table are added if it fits.

    Raises:
        pyarrow.ArrowException: rows that do not fit.
    """
    for field in table.schema:
        if parquet_depth(field.type) > MAX_DEPTH:
            raise pa.ArrowInvalid(f"{field.name} is nested too deeply for Parquet")
    merged = (
        pa.unify_schemas([schema, table.schema], promote_options="permissive") if schema else table.schema
    )
    all_wide = wide.union(*(_wide(name, table[name]) for name in table.column_names))
    for path in sorted(all_wide & {path for field in merged for path in _floats(field.name, field.type)}):
        raise pa.ArrowInvalid(f"{path} has fractions, and integers above 2**53, which no float holds")
    wide |= all_wide
    return merged


def _wide(path: str, values: Any) -> set[str]:
    """Paths within a column that contain integers that a float cannot represent."""
    kind = values.type
    if pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0):
        ends = pc.min_max(values).as_py()
        return {path} if ends["max"] is not None and max(ends["max"], -ends["min"]) > _EXACT else set()
    if pa.types.is_struct(kind):
        parts = [
            (kind.field(index).name, pc.struct_field(values, [index])) for index in range(kind.num_fields)
        ]
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        parts = [(kind.field(0).name, pc.list_flatten(values))]
    else:
        return set()
    return {inner_path for name, part in parts for inner_path in _wide(f"{path}.{name}", part)}


def _floats(path: str, kind: pa.DataType) -> set[str]:
    """Paths within a column of a type that contain floats, in the notation of `_wide`."""
    if pa.types.is_floating(kind):
        return {path}
    inner = [kind.field(index) for index in range(kind.num_fields)]
    return {inner_path for field in inner for inner_path in _floats(f"{path}.{field.name}", field.type)}
