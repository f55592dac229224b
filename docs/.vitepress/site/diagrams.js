// JavaScript, because `.ci/diagrams.js` runs it on Node 20 too.
import { createHash } from 'node:crypto';

export const diagramsOf = (markdown) =>
  [...markdown.matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, source]) => source);

export const drawingOf = (source, scheme) =>
  `${createHash('sha256').update(source).digest('hex').slice(0, 12)}-${scheme}.svg`;

export const titleOf = (source) => /^\s*accTitle: (.+)$/m.exec(source)?.[1] ?? 'Diagram';
