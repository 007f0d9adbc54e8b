"""The subcommands of ``qa``, each loaded only when it is used."""
