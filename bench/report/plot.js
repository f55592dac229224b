/** The classes of bars by the name of the candidate. Others are peers. */
const kinds = { 'nest-oauth2': 'own', floor: 'floor' };

/** The colors of the charts on light and on dark pages. A browser selects them by the color scheme of the page. */
const style = `svg{color-scheme:light dark}text{fill:#343a40}.title{fill:#212529;font-weight:600}.note{fill:#495057}
.own{fill:#1f7a6f}.peer{fill:#7c8fd6}.floor{fill:#adb5bd}.database{fill:#f59f00}
@media (prefers-color-scheme:dark){text{fill:#ced4da}.title{fill:#f1f3f5}.note{fill:#adb5bd}.own{fill:#86cdc1}.peer{fill:#5c6fb8}.floor{fill:#868e96}.database{fill:#e8a33d}}`;
const width = 880;
const label = 250;
const bar = { height: 16, gap: 4 };
const panelGap = 46;

/** Returns an SVG chart with a panel for each operation and a bar for each candidate. Each panel has its own scale. */
export function plot({ candidates, operations }) {
  const panels = operations.map(({ title, concurrency }) => ({
    title,
    bars: Object.entries(candidates).map(([name, candidate]) => {
      const { median } = concurrency[1].nanoseconds[name];
      return {
        label: shortTitle(candidate.title),
        parts: [{ value: median, kind: kinds[name] ?? 'peer' }],
        text: `${Math.round(median).toLocaleString('en')} ns`,
      };
    }),
  }));
  return barChart({ title: 'Nanoseconds per operation, one request at a time', panels });
}

/**
 * Returns an SVG chart of bars in panels. Each panel has its own scale. The shortest bar of a panel is the best.
 * @param chart `panels` are `{ title, bars }`. `bars` are `{ label, parts, text }`, and the parts `{ value, kind }`, where `kind` is a class of the style sheet,
 *   follow each other in one bar.
 */
export function barChart({ title, panels }) {
  let top = 48;
  const drawn = panels.map((one) => {
    const text = panel(one, top);
    top += one.bars.length * (bar.height + bar.gap) + panelGap;
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>${escape(title)}; less is better</title>
<style>${style}</style>
<text x="8" y="18" class="note">${escape(title)}. Less is better.</text>
${drawn.join('\n')}
</svg>
`;
}

function panel({ title, bars }, top) {
  const longest = Math.max(...bars.map(total));
  const lengthOf = (value) => ((width - label - 110) * value) / longest;
  const lines = bars.map((one, index) => {
    const y = top + 12 + index * (bar.height + bar.gap);
    let x = label;
    const rectangles = one.parts.map(({ value, kind }) => {
      const length = lengthOf(value);
      const rectangle = `<rect x="${round(x)}" y="${y}" width="${length.toFixed(1)}" height="${bar.height}" class="${kind}"/>`;
      x += length;
      return rectangle;
    });
    return `<text x="${label - 8}" y="${y + 12}" text-anchor="end">${escape(one.label)}</text>
${rectangles.join('\n')}
<text x="${(x + 6).toFixed(1)}" y="${y + 12}">${escape(one.text)}</text>`;
  });
  return `<text x="8" y="${top}" class="title">${escape(title)}</text>\n${lines.join('\n')}`;
}

const total = ({ parts }) => parts.reduce((sum, { value }) => sum + value, 0);
const round = (x) => String(Number(x.toFixed(1)));

function shortTitle(title) {
  return title.split(':')[0];
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
