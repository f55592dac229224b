/** The programs that cells of the matrix run. */
export interface Tools {
  pnpm: string;
  yarn: string;
  node(version: string): string;
}

export function installTools(folder: string, cells: { node: string; pm: string }[]): Promise<Tools>;
