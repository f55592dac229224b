const colours = { 'nest-oauth2': '#d6336c', floor: '#868e96' };
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
        parts: [{ value: median, colour: colours[name] ?? '#4c6ef5' }],
        text: `${Math.round(median).toLocaleString('en')} ns`,
      };
    }),
  }));
  return barChart({ title: 'Nanoseconds per operation, one request at a time; shorter is faster', panels });
}

/**
 * Returns an SVG chart of bars in panels. Each panel has its own scale.
 * @param chart `panels` are `{ title, bars }`. `bars` are `{ label, parts, text }`, and the parts `{ value, colour }`
 *   follow each other in one bar.
 */
export function barChart({ title, panels }) {
  let top = 20;
  const drawn = panels.map((one) => {
    const text = panel(one, top);
    top += one.bars.length * (bar.height + bar.gap) + panelGap;
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>${escape(title)}</title>
<rect width="${width}" height="${top}" fill="#fff"/>
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
    const rectangles = one.parts.map(({ value, colour }) => {
      const length = lengthOf(value);
      const rectangle = `<rect x="${round(x)}" y="${y}" width="${length.toFixed(1)}" height="${bar.height}" fill="${colour}"/>`;
      x += length;
      return rectangle;
    });
    return `<text x="${label - 8}" y="${y + 12}" text-anchor="end" fill="#343a40">${escape(one.label)}</text>
${rectangles.join('\n')}
<text x="${(x + 6).toFixed(1)}" y="${y + 12}" fill="#343a40">${escape(one.text)}</text>`;
  });
  return `<text x="8" y="${top}" font-weight="600" fill="#212529">${escape(title)}</text>\n${lines.join('\n')}`;
}

const total = ({ parts }) => parts.reduce((sum, { value }) => sum + value, 0);
const round = (x) => String(Number(x.toFixed(1)));

function shortTitle(title) {
  return title.split(':')[0];
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
