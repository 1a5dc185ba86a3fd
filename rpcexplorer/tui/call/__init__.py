"""The call screen: methods, params and response, and what is done with them."""
