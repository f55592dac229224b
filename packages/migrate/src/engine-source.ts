import type * as t from '@babel/types';

import {
  leave,
  rewriteExport,
  rewriteImport,
  rewriteImportEquals,
  rewriteImportType,
  type ServerClass,
} from './engine-imports.js';
import { rewriteDynamicImport, rewriteMock, rewriteRequire } from './engine-requires.js';
import { GUIDE } from './guide.js';
import type { ModuleName } from './module-names.js';
import { constructWithArrays, keepArrayScopes } from './scope-format.js';
import { note, type Source } from './source.js';
import { startOf } from './syntax.js';

const PASSED_ON = "The class is passed on. Where it is constructed, set `scopeFormat: 'array'`.";

/** Rewrites a place where a file names an old engine. */
export function rewriteEngine(source: Source, at: ModuleName): void {
  const { servers, construction, isPassedOn } = rewritten(source, at);
  if (!source.hasArrayScopes(at.module.name)) return;
  for (const server of servers) keepArrayScopes(source, server);
  if (construction) constructWithArrays(source, construction);
  if (isPassedOn) note(source, startOf(at.node), 'check', PASSED_ON, GUIDE.version5);
}

interface Rewritten {
  readonly servers: readonly ServerClass[];
  readonly construction?: t.NewExpression;
  readonly isPassedOn?: boolean;
}

function rewritten(source: Source, at: ModuleName): Rewritten {
  const none = { servers: [] };
  switch (at.by) {
    case 'import':
      return { servers: rewriteImport(source, at) };
    case 'export':
      return { servers: [], isPassedOn: rewriteExport(source, at) };
    case 'import =':
      return { servers: rewriteImportEquals(source, at) };
    case 'import()':
      return { servers: rewriteDynamicImport(source, at) };
    case 'require':
      return rewriteRequire(source, at);
    case 'mock':
      rewriteMock(source, at);
      return none;
    case 'import type()':
      rewriteImportType(source, at);
      return none;
    case 'other':
    default:
      leave(source, at, 'The name of the package is used in another way than to import it.');
      return none;
  }
}
