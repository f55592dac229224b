import type { OpenAPIObject } from '@nestjs/swagger';

/** What an OpenAPI document says of one method at one path. */
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** One of them, by its place. */
export interface Operation {
  readonly id: string;
  readonly object: OperationObject;
}

/** What stands at a path for its methods; OpenAPI knows no `search`, and `@nestjs/swagger` writes it. OpenAPI 3.2 §4.9 */
const METHODS = new Set('get put post delete options head patch trace query search'.split(' '));

/** The operations of a document. Its webhooks are none: they are asked of others, and no guard of ours is there. */
export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, object]) => ({ id: `${method} ${path}`, object: object as OperationObject })),
  );
}
