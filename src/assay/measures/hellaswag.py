"""HellaSwag, technical part: length-normalised accuracy, 0-shot."""

from assay.measures.benchmark import FetchedBenchmark
from assay.plugins import measure
from assay.types.measures import JsonKey, Places


@measure("hellaswag", unit="share", better="higher")
class HellaSwag(FetchedBenchmark):
    """Accuracy on the technical part of HellaSwag."""

    places = Places(keys=40)
    suite = metric = "hellaswag"
    category = "technical_subset"
    rank, column_place = 58, 50
    keys = (JsonKey("hellaswag", "share", "Accuracy on the technical part of HellaSwag.", True),)
