import type { OpenAPIObject } from '@nestjs/swagger';

/** The description of one method of a path in an OpenAPI document. */
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** An operation with its method and path as id. */
export interface Operation {
  readonly id: string;
  readonly object: OperationObject;
}

/**
 * The members of a path item that are operations. `search` is not part of OpenAPI, but `@nestjs/swagger` writes it.
 * OpenAPI 3.2 §4.9
 */
const METHODS = new Set('get put post delete options head patch trace query search'.split(' '));

/** Returns the operations of a document. Webhooks are not included, because other servers handle them. */
export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, object]) => ({ id: `${method} ${path}`, object: object as OperationObject })),
  );
}
