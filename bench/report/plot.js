const colours = { 'nest-oauth2': '#d6336c', floor: '#868e96' };
const width = 880;
const label = 250;
const bar = { height: 16, gap: 4 };
const panelGap = 46;

/** Returns an SVG chart with a panel for each operation and a bar for each candidate. Each panel has its own scale. */
export function plot({ candidates, operations }) {
  const names = Object.keys(candidates);
  const panelHeight = names.length * (bar.height + bar.gap) + panelGap;
  const panels = operations.map((operation, index) => panel(operation, candidates, 20 + index * panelHeight));
  const height = operations.length * panelHeight + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Nanoseconds per operation, one request at a time; shorter is faster</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join('\n')}
</svg>
`;
}

function panel({ title, concurrency }, candidates, top) {
  const { nanoseconds } = concurrency[1];
  const longest = Math.max(...Object.values(nanoseconds).map(({ median }) => median));
  const bars = Object.keys(candidates).map((name, index) => {
    const { median } = nanoseconds[name];
    const y = top + 12 + index * (bar.height + bar.gap);
    const length = ((width - label - 110) * median) / longest;
    return `<text x="${label - 8}" y="${y + 12}" text-anchor="end" fill="#343a40">${escape(shortTitle(candidates[name].title))}</text>
<rect x="${label}" y="${y}" width="${length.toFixed(1)}" height="${bar.height}" fill="${colours[name] ?? '#4c6ef5'}"/>
<text x="${(label + length + 6).toFixed(1)}" y="${y + 12}" fill="#343a40">${Math.round(median).toLocaleString('en')} ns</text>`;
  });
  return `<text x="8" y="${top}" font-weight="600" fill="#212529">${escape(title)}</text>\n${bars.join('\n')}`;
}

function shortTitle(title) {
  return title.split(':')[0];
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
