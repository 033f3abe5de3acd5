"""Shares of variance by parameter, as bars."""
import numpy as np

from . import style

MOST_PARAMETERS = 14


def draw(results, indices, metrics, where=()):
    """The figure and a sentence: a panel per metric, first-order shares dark, total shares light."""
    table = indices.table
    alone = table["total"].isna().all()
    why = "total effects are unknown: too few pairs of designs differ in only one parameter"
    order = table.groupby("parameter")["total"].max().fillna(table.groupby("parameter")["first"].max())
    names = list(order.sort_values(ascending=False).index)[:MOST_PARAMETERS]
    figure, panels = style.figure(max(5.5, 3.4 * len(metrics) + 1.4), 0.42 * len(names) + 2.0, ncols=len(metrics),
                                  sharey=True, squeeze=False)
    for axes, metric in zip(panels[0], metrics):
        some = table[table.metric == metric].set_index("parameter").loc[names]
        _panel(axes, some, metric, indices.exact, alone)
    panels[0][0].set_yticks(range(len(names)), names)
    panels[0][0].invert_yaxis()
    of = "all feasible designs" if indices.exact else "a sample of designs, 95 % intervals"
    apart = f"rules exclude combinations of {', '.join(indices.uneven)}: first-order shares are limited to total shares"
    style.heading(panels[0, 0], f"{results.architecture}: sensitivity", f"from {indices.rows:,} results, {of}",
                  why if alone else "", apart if indices.uneven else "", style.said_of(where),
                  style.assumed_of(results))
    below = 0.55 / (0.42 * len(names) + 0.5)
    style.legend(panels[0][-1], loc="upper right", bbox_to_anchor=(1.0, -below), ncols=2, borderaxespad=0.0,
                 frameon=False)
    return figure, _sentence(table, metrics, indices)


def _panel(axes, table, metric, exact, alone):
    places = np.arange(len(table))
    total = table["total"].fillna(0.0).clip(0.0)
    first = table["first"].clip(0.0)
    if not alone:
        axes.barh(places, total, height=0.72, color=style.POINT_COLOUR, alpha=0.3,
                  label="with interactions (total)")
    axes.barh(places, first, height=0.42, color=style.FRONT_COLOUR, label="by itself (first order)")
    if not exact:
        for kind, colour, offset in (("total", style.QUIET_COLOUR, 0.2), ("first", style.TEXT_COLOUR, -0.1)):
            ends = table[[f"{kind}_low", f"{kind}_high"]].to_numpy().T.clip(0.0)
            middle = table[kind].clip(0.0).to_numpy()
            seen = np.isfinite(middle)
            axes.errorbar(middle[seen], (places + offset)[seen], xerr=np.abs(ends - middle)[:, seen], fmt="none",
                          ecolor=colour, elinewidth=0.9, capsize=2)
    for place in () if alone else np.flatnonzero(table["total"].isna()):
        beside = np.nanmax([0.0, first.iloc[place], table["first_high"].iloc[place]])
        axes.text(min(beside, 0.6) + 0.02, place, "total: unknown", va="center", fontsize=6.5,
                  color=style.QUIET_COLOUR)
    axes.set_xlim(0, 1.02)  # shares of a variance; intervals from few pairs may reach beyond
    axes.set_title(metric, fontsize=10)
    axes.set_xlabel("share of variance", fontsize=9)
    style.plain_axes(axes, grid="x")


def _sentence(table, metrics, indices):
    said = []
    for metric in metrics:
        best = table[table.metric == metric].sort_values("first", ascending=False).iloc[0]
        said.append(f"{metric} by {best.parameter} ({max(best['first'], 0.0):.0%} by itself)")
    return f"{indices.rows:,} results; largest share: " + ", ".join(said)
