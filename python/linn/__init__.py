"""Logic-integrated neural networks: reason from equations, recommend with reasons.

    import linn

    knowledge = linn.KnowledgeBase(["rain & !umbrella -> wet = T", "rain = T", "umbrella = F"])
    linn.Reasoner.infer(knowledge).truth_of("wet & rain")

    recommender = linn.Recommender().fit(ratings)  # a DataFrame with the columns user, item, label, time
    recommender.recommend(history=[50, (181, False)], n=3, explain=True)
"""

from . import model_selection
from ._core import version as __version__
from ._errors import Divergence, Failure, InputError
from .reasoning import (
    KnowledgeBase,
    Law,
    LawFigures,
    Reasoner,
    normalize,
    reasoner_models,
    reasoner_settings,
)
from .recommendation import (
    Reason,
    Recommendation,
    Recommender,
    recommender_models,
    recommender_settings,
)

__all__ = [
    "Divergence",
    "Failure",
    "InputError",
    "KnowledgeBase",
    "Law",
    "LawFigures",
    "Reason",
    "Reasoner",
    "Recommendation",
    "Recommender",
    "__version__",
    "model_selection",
    "normalize",
    "reasoner_models",
    "reasoner_settings",
    "recommender_models",
    "recommender_settings",
]
