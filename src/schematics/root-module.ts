import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of `@nestjs/schematics` that edits the decorator of a module. */
interface MetadataEditor {
  MetadataManager: new (content: string) => { insert(metadata: string, symbol: string): string | undefined };
}

/** Inserts an import statement after the last one of a file. */
export function addImport(text: string, statement: string): string {
  const statements = [...text.matchAll(/^(?:import\b[^;]*?|\} )from\s*['"][^'"\n]+['"];?[ \t]*$/gm)];
  const last = statements.at(-1);
  if (!last) return `${statement}\n${text}`;
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\n${statement}${text.slice(end)}`;
}

/**
 * Adds a module to the `imports` of the root module.
 * @returns the new text, or `undefined` if the file has no `@Module()` with a list of imports.
 */
export function importModule(
  text: string,
  symbol: string,
  specifier: string,
  folder = process.cwd(),
): string | undefined {
  const edited = insertBySyntax(text, symbol, folder) ?? insertByText(text, symbol);
  if (edited === undefined || edited === text) return undefined;
  return addImport(edited, `import { ${symbol} } from '${specifier}';`);
}

/** Edits the decorator with the `@nestjs/schematics` of the application. */
function insertBySyntax(text: string, symbol: string, folder: string): string | undefined {
  try {
    const require = createRequire(join(folder, 'package.json'));
    const { MetadataManager } = require('@nestjs/schematics') as MetadataEditor;
    return new MetadataManager(text).insert('imports', symbol);
  } catch {
    // The application has no @nestjs/schematics, or its TypeScript has no JavaScript API, as version 7.
    return undefined;
  }
}

/** Edits the decorator if the text is unambiguous: it contains one `@Module({`, and `imports: [` at most once. */
function insertByText(text: string, symbol: string): string | undefined {
  if (text.split('@Module({').length !== 2) return undefined;
  const lists = [...text.matchAll(/\bimports:\s*\[(\s*)(\]?)/g)];
  if (lists.length > 1) return undefined;
  const [list] = lists;
  if (list) {
    const [all, space, end] = list;
    const inserted = end ? `imports: [${symbol}]` : `imports: [${space}${symbol},${space || ' '}`;
    return text.slice(0, list.index) + inserted + text.slice(list.index + all.length);
  }
  return /\bimports\b\s*[:,}]/.test(text) ? undefined : text.replace('@Module({', `@Module({\n  imports: [${symbol}],`);
}
