"""`tidegate demo`."""


def demo() -> None:
    """Run a made-up office through the pipeline and show what crosses, what does not, and that the counts are right."""
    from pipelines.demo.run import run

    run()
