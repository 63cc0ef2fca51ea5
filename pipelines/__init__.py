"""How the parts are put together and run: settings, topics, the Faust apps, the embedded services, the command line."""
