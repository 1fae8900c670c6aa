"""The methods the paper compares with: scores of single features, and the trace ratio."""
