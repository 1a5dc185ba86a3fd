"""JSON Schema: node, check, explain, complete, example, form."""
