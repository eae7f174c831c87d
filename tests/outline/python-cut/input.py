    more of the docstring that was cut, with a "quote".

    Returns:
        nothing
    """
    value = compute(
        1,
    )
    return value

class Next:
    def method(self):
        x = """
not code
"""
        return x

    def last(self,
             a,
