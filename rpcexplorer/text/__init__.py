"""What both front ends print. Everything from outside is made printable here."""
