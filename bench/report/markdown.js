/** Returns a Markdown table. The first row is the heading. */
export function markdown([heading, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
