import type { INestApplication, Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { DECORATORS, type OpenAPIObject, type SwaggerDocumentOptions, SwaggerModule } from '@nestjs/swagger';
import { type Operation, operationsOf } from './operations.js';

/** The controller method that handles an operation. The controller may inherit the method. */
export interface Route {
  readonly controller: Type;
  readonly handler: object;
}

/**
 * Returns the route of an operation in a document. `undefined` if no controller of the application handles the
 * operation.
 */
export type FindRoute = (operation: string) => Route | undefined;

/**
 * Finds the routes of all operations. Only `@nestjs/swagger` knows the path, prefix and version of each route, so it
 * describes the application once more while each controller and method carries a marker as its security metadata.
 * @param options the options that the document was made with
 */
export function findRoutes(app: INestApplication, document: OpenAPIObject, options: SwaggerDocumentOptions): FindRoute {
  const described = operationsOf(document);
  const routes = readRoutes(app, document, options);
  const isOther = described.length > 0 && !described.some(({ id }) => routes.has(id));
  // It is unknown whether the document was made with `ignoreGlobalPrefix`, so try both.
  const { ignoreGlobalPrefix = false } = options;
  const matching = isOther
    ? readRoutes(app, document, { ...options, ignoreGlobalPrefix: !ignoreGlobalPrefix })
    : routes;
  return (operation) => matching.get(operation);
}

function readRoutes(
  app: INestApplication,
  { openapi, info }: OpenAPIObject,
  options: SwaggerDocumentOptions,
): ReadonlyMap<string, Route | undefined> {
  const marks = new Marks();
  try {
    for (const { controllers } of app.get(ModulesContainer).values()) {
      for (const { metatype } of controllers.values()) marks.put(metatype as Type);
    }
    const document = SwaggerModule.createDocument(app, { openapi, info }, options);
    return new Map(operationsOf(document).map((operation) => [operation.id, marks.read(operation)]));
  } finally {
    marks.remove();
  }
}

/** The name of the marker. No security scheme of an application has this name. */
const MARK = 'nest-oauth2:route';
const METADATA = DECORATORS.API_SECURITY;

/** Markers on controllers and their methods. They are removed as soon as `@nestjs/swagger` has read them. */
class Marks {
  private readonly targets: object[] = [];
  private readonly before = new Map<object, unknown>();
  private readonly scanner = new MetadataScanner();

  put(controller: Type): void {
    this.mark(controller);
    const prototype = controller.prototype as Record<string, object>;
    for (const name of this.scanner.getAllMethodNames(prototype)) this.mark(prototype[name]!);
  }

  read({ object: { security = [] } }: Operation): Route | undefined {
    const [controller, handler] = security.flatMap(({ [MARK]: mark = [] }) =>
      mark.map((at) => this.targets[Number(at)]),
    );
    return controller && handler ? { controller: controller as Type, handler } : undefined;
  }

  remove(): void {
    for (const [target, metadata] of this.before) {
      if (metadata === undefined) Reflect.deleteMetadata(METADATA, target);
      else Reflect.defineMetadata(METADATA, metadata, target);
    }
  }

  private mark(target: object): void {
    if (this.before.has(target)) return;
    this.before.set(target, Reflect.getOwnMetadata(METADATA, target));
    const at = this.targets.push(target) - 1;
    Reflect.defineMetadata(METADATA, [{ [MARK]: [String(at)] }], target);
  }
}
