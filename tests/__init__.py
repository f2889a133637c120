"""The proof of what the product promises; `requirements.py` lists the promises."""
