/** Returns the sources of the `mermaid` blocks of a page. */
export function diagramsOf(markdown: string): string[];

/** Returns the name of the drawn file. It contains a digest of the source. */
export function drawingOf(source: string, scheme: 'light' | 'dark'): string;

/** Returns the title in the second line of a diagram. */
export function titleOf(source: string): string;
