"""Figures of the Chinese documents: each function returns one drawing."""

from reportlab.graphics.shapes import Circle, Drawing, Line
from reportlab.lib import colors

from khub.eval.lab.samples_source.plots import BLUE, GREEN, GREY, INK, ORANGE, RED, Axes, arrow, box, text

WARM = colors.HexColor("#fbf1e4")
LEAF = colors.HexColor("#e9f4ec")


def zh_embed_routes() -> Drawing:
    """Draw how a static model and a transformer make a vector of the same sentence."""
    drawing = Drawing(470, 150)
    box(drawing, 0, 55, 70, 40, "输入\n“苹果手机”", fill=colors.white, stroke=INK)
    arrow(drawing, 70, 85, 100, 115)
    arrow(drawing, 70, 65, 100, 35)
    text(drawing, 100, 140, "静态模型（示例耗时 0.1 毫秒）", 8, color=ORANGE)
    for x, lines in ((100, "切成词元"), (190, "查表\n每词一行"), (280, "加权求和")):
        box(drawing, x, 98, 70, 34, lines, fill=WARM, stroke=ORANGE)
    text(drawing, 100, 60, "Transformer（示例耗时 2 毫秒）", 8, color=BLUE)
    for x, lines in ((100, "切成词元"), (190, "6 层自注意力\n互相看见"), (280, "池化")):
        box(drawing, x, 18, 70, 34, lines)
    for y in (115, 35):
        arrow(drawing, 170, y, 190, y)
        arrow(drawing, 260, y, 280, y)
    arrow(drawing, 350, 115, 380, 85)
    arrow(drawing, 350, 35, 380, 65)
    box(drawing, 380, 55, 85, 40, "除以长度\n得到单位向量", fill=LEAF, stroke=GREEN)
    return drawing


def zh_quantisation_steps() -> Drawing:
    """Plot what four bits and three bits of symmetric quantisation make of a value."""
    drawing = Drawing(440, 205)
    axes = Axes(drawing, 45, 34, 240, 160, (-1, 1), (-1, 1))
    ticks = [(value, f"{value:g}") for value in (-1, -0.5, 0, 0.5, 1)]
    axes.frame("原值", "还原值", ticks, ticks)
    axes.line([(-1, -1), (1, 1)], GREY, dots=False, dashed=True)
    for levels, color in ((3, ORANGE), (7, BLUE)):
        axes.line(_staircase(levels), color, dots=False)
    axes.legend(305, 180, [("不量化（虚线）", GREY), ("3 位：7 级台阶", ORANGE), ("4 位：15 级台阶", BLUE)])
    text(drawing, 305, 130, "台阶高度 = scale", 8)
    text(drawing, 305, 116, "误差 ≤ 台阶高度的一半", 8)
    text(drawing, 305, 102, "8 位时有 255 级，画不出来", 8)
    return drawing


def _staircase(levels: int) -> list[tuple[float, float]]:
    points = []
    for level in range(-levels, levels + 1):
        low, high = max((level - 0.5) / levels, -1), min((level + 0.5) / levels, 1)
        points += [(low, level / levels), (high, level / levels)]
    return points


def zh_memory_bars() -> Drawing:
    """Plot the memory of a million vectors by the way they are kept."""
    drawing = Drawing(440, 190)
    axes = Axes(drawing, 48, 36, 370, 135, (0, 5), (0, 1600))
    names = ["float32", "float16", "int8", "PQ 96 段", "二值化"]
    axes.frame(
        "方案",
        "内存（MB）",
        [(number + 0.5, name) for number, name in enumerate(names)],
        [(value, f"{value}") for value in (0, 400, 800, 1200, 1600)],
    )
    for number, (size, color) in enumerate([(1536, GREY), (768, GREY), (388, BLUE), (96, ORANGE), (48, RED)]):
        axes.bar(number + 0.5, size, 0.3, color, f"{size}（{size / 1536:.1%}）")
    return drawing


def zh_recall_curve() -> Drawing:
    """Plot an example of recall against memory, with and without rescoring."""
    drawing = Drawing(440, 215)
    axes = Axes(drawing, 48, 36, 270, 165, (0, 800), (0.8, 1.0))
    axes.frame(
        "一百万个向量的内存（MB）",
        "recall@10（示例）",
        [(value, f"{value}") for value in (0, 200, 400, 600, 800)],
        [(value, f"{value:.2f}") for value in (0.8, 0.85, 0.9, 0.95, 1.0)],
    )
    plain = [(48, 0.83), (96, 0.91), (388, 0.99), (768, 0.998)]
    rescored = [(48, 0.95), (96, 0.975), (388, 0.996), (768, 0.999)]
    axes.line(plain, ORANGE)
    axes.line(rescored, BLUE)
    for (x, y), label in zip(plain, ("二值化 0.83", "PQ 0.91", "int8 0.99", ""), strict=True):
        left, low = axes.at(x, y)
        text(drawing, left + 6, low - 9, label, 7, color=ORANGE)
    left, low = axes.at(48, 0.95)
    text(drawing, left + 8, low - 8, "0.95", 7, color=BLUE)
    axes.legend(330, 180, [("直接用量化后的次序", ORANGE), ("放大 4 倍再重打分", BLUE)])
    return drawing


def zh_ingest_graph() -> Drawing:
    """Draw the ingest graph: its six components and the way of the files that failed."""
    drawing = Drawing(480, 135)
    names = ["check\n查哈希", "convert\n转 Markdown", "ocr\n识别文字", "split\n切块", "embed\n算向量", "write\n写入"]
    for number, name in enumerate(names):
        box(drawing, number * 81, 75, 66, 42, name, fill=LEAF if number == 5 else colors.HexColor("#e8eff6"))
        if number:
            arrow(drawing, number * 81 - 15, 96, number * 81, 96)
    for left in (33, 114, 195):
        drawing.add(Line(left, 75, left, 42, strokeColor=RED, strokeDashArray=[3, 2]))
    drawing.add(Line(33, 42, 430, 42, strokeColor=RED, strokeDashArray=[3, 2]))
    arrow(drawing, 430, 42, 430, 75, RED, dashed=True)
    text(drawing, 285, 46, "failed：失败的文件，连同原因和办法", 7.5, "middle", RED)
    drawing.add(Line(134, 75, 134, 22, strokeColor=BLUE, strokeDashArray=[3, 2]))
    drawing.add(Line(134, 22, 445, 22, strokeColor=BLUE, strokeDashArray=[3, 2]))
    arrow(drawing, 445, 22, 445, 75, BLUE, dashed=True)
    text(drawing, 300, 26, "remaining：这一批没轮到的文件", 7.5, "middle", BLUE)
    return drawing


def zh_query_graph() -> Drawing:
    """Draw the query graph: two legs, one list, two rankings, one answer."""
    drawing = Drawing(480, 150)
    box(drawing, 0, 60, 66, 36, "understand\n整理问题")
    box(drawing, 98, 100, 74, 36, "dense\n按意思，30 条", fill=LEAF, stroke=GREEN)
    box(drawing, 98, 20, 74, 36, "sparse\n按字词，30 条", fill=WARM, stroke=ORANGE)
    box(drawing, 202, 60, 54, 36, "join\n合成名单")
    box(drawing, 278, 60, 54, 36, "rank\n留 30 条")
    box(drawing, 354, 60, 54, 36, "interact\n留 20 条")
    box(drawing, 430, 60, 50, 36, "answer\n引 5 段")
    arrow(drawing, 66, 84, 98, 112)
    arrow(drawing, 66, 72, 98, 44)
    text(drawing, 66, 104, "问句", 7, color=GREEN)
    text(drawing, 63, 48, "检索词", 7, color=ORANGE)
    arrow(drawing, 172, 112, 202, 86)
    arrow(drawing, 172, 44, 202, 70)
    for left, right in ((256, 278), (332, 354), (408, 430)):
        arrow(drawing, left, 78, right, 78)
    arrow(drawing, 172, 124, 300, 96, GREEN, dashed=True)
    arrow(drawing, 172, 32, 300, 60, ORANGE, dashed=True)
    text(drawing, 250, 117, "余弦", 7, color=GREEN)
    text(drawing, 250, 34, "BM25", 7, color=ORANGE)
    text(drawing, 0, 4, "虚线：分数不经过 join，直接送到 rank", 7.5)
    return drawing


def zh_leg_overlap() -> Drawing:
    """Draw which of 420 example questions each leg answers among its first ten."""
    drawing = Drawing(400, 230)
    for x, color in ((155, ORANGE), (245, BLUE)):
        tint = colors.Color(color.red, color.green, color.blue, alpha=0.25)
        drawing.add(Circle(x, 118, 88, fillColor=tint, strokeColor=color, strokeWidth=1.2))
    text(drawing, 110, 212, "关键词命中 315", 10, "middle", ORANGE)
    text(drawing, 290, 212, "向量命中 323", 10, "middle", BLUE)
    text(drawing, 108, 116, "63", 18, "middle")
    text(drawing, 200, 116, "252", 18, "middle")
    text(drawing, 292, 116, "71", 18, "middle")
    text(drawing, 200, 99, "两路都找到", 8, "middle")
    text(drawing, 200, 12, "圈外：两路都没找到 34 个；问题总数 420", 10, "middle")
    return drawing


def zh_weak_leg() -> Drawing:
    """Plot an example of what fusion does when the dense leg gets worse."""
    drawing = Drawing(420, 240)
    axes = Axes(drawing, 48, 38, 250, 185, (0, 100), (0.5, 0.9))
    axes.frame(
        "换成随机文档的向量结果（%）",
        "nDCG@10（示例）",
        [(value, f"{value}") for value in (0, 20, 40, 60, 80, 100)],
        [(value, f"{value:.1f}") for value in (0.5, 0.6, 0.7, 0.8, 0.9)],
    )
    share = [0, 20, 40, 60, 80, 100]
    axes.line([(0, 0.7), (100, 0.7)], GREY, dots=False, dashed=True)
    axes.line(list(zip(share, (0.82, 0.77, 0.695, 0.63, 0.57, 0.52), strict=True)), ORANGE)
    axes.line(list(zip(share, (0.83, 0.80, 0.77, 0.74, 0.715, 0.70), strict=True)), BLUE)
    axes.legend(305, 200, [("单用关键词", GREY), ("等权名次融合", ORANGE), ("凸组合（关键词 0.8）", BLUE)])
    left, low = axes.at(100, 0.52)
    text(drawing, left + 4, low - 2, "0.52", 8, color=ORANGE)
    left, low = axes.at(100, 0.70)
    text(drawing, left + 4, low - 2, "0.70", 8, color=BLUE)
    return drawing
