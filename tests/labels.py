#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether labels of arrows stand clear of each other, of boxes and of CPUs' names in an SVG
report, and whether what boxes say fits into them: labels.py FILE. Says what does not, and how
many labels were looked at."""
import sys
import xml.etree.ElementTree as tree

SVG = '{http://www.w3.org/2000/svg}'
TALL = 12


def rectangle(text, wide):
    """What a text takes up whose middle and baseline are given, a character `wide`."""
    half = wide * len(text.text) / 2
    x, y = float(text.get('x')), float(text.get('y'))
    return x - half, y - TALL + 2, x + half, y + 2


def box(rect):
    x, y, width, height = (float(rect.get(name)) for name in ('x', 'y', 'width', 'height'))
    return x, y, x + width, y + height


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


WIDE = {'label': 7.8, 'code': 6}  # characters in boxes, 13 and 10 pixels high
labels = bad = 0
for execution in tree.parse(sys.argv[1]).getroot().iter(SVG + 'g'):
    if not execution.get('transform'):
        continue
    name = execution.find(SVG + 'title').text
    taken = [(box(rect), 'a box') for rect in execution.iter(SVG + 'rect')]
    taken += [(rectangle(text, 8), text.text) for text in execution.iter(SVG + 'text')
              if text.get('class') == 'cpu']
    for text in execution.iter(SVG + 'text'):
        if not (text.get('class') or '').endswith('relation'):
            continue
        here = rectangle(text, 6.5)
        for there, what in taken:
            if overlap(here, there):
                print(f'{name}: the label {text.text} stands on {what}')
                bad += 1
        taken.append((here, text.text))
        labels += 1
    for group in execution.iter(SVG + 'g'):
        rect = group.find(SVG + 'rect')
        for text in group.findall(SVG + 'text') if rect is not None else []:
            if WIDE.get(text.get('class'), 0) * len(text.text) > float(rect.get('width')):
                print(f'{name}: {text.text} does not fit its box')
                bad += 1
print(f'{labels} labels of arrows, {bad} things out of place')
sys.exit(bad > 0 or labels == 0)
