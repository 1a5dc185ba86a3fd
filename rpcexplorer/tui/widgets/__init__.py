"""Parts of a screen. What a widget needs comes in through its reactives; what happens in it goes out as messages."""
