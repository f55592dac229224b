import { configurationError } from '../../../lib/internal.js';
import type { Report } from '../report.js';
import { htmlReport } from './html.js';
import { sarifReport } from './sarif.js';
import { textReport } from './text.js';

const FORMATS = {
  text: textReport,
  json: (report: Report) => JSON.stringify(report, null, 2),
  sarif: (report: Report) => JSON.stringify(sarifReport(report), null, 2),
  html: htmlReport,
} as const;

/** The formats of a report: text for a terminal, JSON, SARIF 2.1.0, or an HTML page without scripts. */
export type ReportFormat = keyof typeof FORMATS;

/** The names of all formats. */
const REPORT_FORMATS = Object.keys(FORMATS) as readonly ReportFormat[];

/**
 * Returns a report as text in a format.
 * @throws {InvalidArgumentError} If the format is unknown.
 */
export function formatReport(report: Report, format: ReportFormat): string {
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format](report);
  throw configurationError(`unknown format \`${String(format)}\`: the formats are ${REPORT_FORMATS.join(', ')}`);
}
