"""Reasons from equations, and recommends with reasons. Needs linn alone: python examples/quickstart.py"""

import linn

knowledge = linn.KnowledgeBase(["rain & !umbrella -> wet = T", "rain = T", "umbrella = F", "wet -> cold = 0.8"])
reasoner = linn.Reasoner.infer(knowledge)
for expression in ("wet & rain", "cold", "umbrella | !wet"):
    print(f"{expression}: {reasoner.truth_of(expression):.2f}")
print(dict(zip(reasoner.variables, reasoner.truths.round(2).tolist())))

users, films, liked = [], [], []
for user in ("anna", "ben", "carla", "dan"):
    users += [user] * 3
    films += ["Alien", "Grease", "Solaris"]
    liked += [True, False, True]
for user in ("eva", "finn", "gina", "hugo"):
    users += [user] * 3
    films += ["Grease", "Alien", "Evita"]
    liked += [True, False, True]

recommender = linn.Recommender(seed=0).fit((users, films, liked))
for each in recommender.recommend(["Alien", ("Grease", False)], n=2, explain=True):
    print(f"{each.item}  {each.score:.2f}  {each.words}")

items, scores = recommender.recommend_many([["Alien"], ["Grease"]], n=1)
print(items[:, 0].tolist(), scores[:, 0].round(2).tolist())
