"""A reply of any size as lines, folds and rows, decoded where somebody looks."""
