/** A table of Markdown; the first row is its heading. */
export function markdown([heading, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
