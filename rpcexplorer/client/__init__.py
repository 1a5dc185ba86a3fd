"""A call made whole: login if one is needed, the request and its reply, the outcome.

Nothing here knows a file or a screen. httpx comes in with the first request, not with the import.

The life of a call, with the file in which each step is done; whatever way it goes, an exchange comes of it:

    Draft | Batch                          model/draft.py          text, parsed once
      |-- a problem in it -------------------------------------------------> Refused
      v
    Message                                client/client.py        calls with their id; the session that is kept
      |-- the session may not go there ------------------------------------> Refused
      v
    flow                                   auth/kind.py            wants one thing after the other, until it ends
      |  ^                                 client/sending.py       gives it each, and counts what happens by the way
      |  |-- Need: a credential            auth/source.py
      |  |     `-- nobody has it -----------------------------------> Ended: Refused
      |  |-- CanLogIn: is a login possible  auth/source.py
      |  |-- Keep, Drop: the session       auth/source.py
      |  |-- Say: a note
      |  |-- Hide: what a reply may not show
      |  `-- Send: a login or the message itself
      |        |                           client/handshakes.py    what a server wants before and with it
      |        |                           client/requests.py      encoded, secrets opened, one deadline for all
      |        |                           protocol/codec.py       calls to bytes
      |        v
      |      Transport                     transport/port.py       chosen in client/connection.py
      |        |-- no whole response                                Received: Unreached
      |        v
      |      Response                      protocol/codec.py       bytes to Result, ErrorObject or Malformed
      |        |                           client/requests.py      Sent, where none is awaited
      |        |                           client/statuses.py      what the status says where they are no reply
      |        `-- told to the flow: a login asked for?             model/login_asked.py
      v
    Ended: Received | Refused
      |  <-- stopped, wherever it is ----- client/stop.py          Cancelled, with what had come
      v
    Exchange                               client/sending.py       made of all that happened
      v
    shown                                  redaction/exchanges.py  no secret is left in it
      v
    recorded, then handed over             storage/history/        what never left this machine is not recorded
"""
