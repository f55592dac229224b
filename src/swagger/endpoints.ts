import type { OpenAPIObject } from '@nestjs/swagger';

import { supportedGrantTypes, type Endpoint } from '../../lib/internal.js';
import type { OperationObject } from './operations.js';
import type { DescribedServer } from './servers.js';

type Parameters = Readonly<Record<string, string>>;

/** The names with which the endpoints are added to a document. */
export interface EndpointNaming {
  /** The tag of the operations. */
  readonly tag: string;
  /** The prefix of the operation ids. */
  readonly key: string;
  /** The name of the security scheme for client authentication. */
  readonly clientScheme: string;
  /** A prefix that is removed from the paths. */
  readonly removedPrefix: string;
}

/**
 * The security scheme for client authentication by the `Authorization` header. OpenAPI has no scheme for credentials in
 * the form. RFC 6749 §2.3.1
 */
export const CLIENT_SCHEME = {
  type: 'http' as const,
  scheme: 'basic',
  description: '`client_id` and `client_secret`. RFC 6749 §2.3.1',
};

/**
 * Adds the endpoints of a server to a document, with an operation for each method. Existing descriptions of the paths
 * stay.
 */
export function describeEndpoints(document: OpenAPIObject, server: DescribedServer, naming: EndpointNaming): void {
  for (const [id, path] of server.endpointPaths) {
    const endpoint = server.context.endpoints.get(id)!;
    const shownPath =
      naming.removedPrefix && path.startsWith(`${naming.removedPrefix}/`)
        ? path.slice(naming.removedPrefix.length)
        : path;
    const entries = methodsOf(endpoint).map((method) => [
      method.toLowerCase(),
      {
        operationId: `${naming.key}_${id}_${method.toLowerCase()}`,
        ...operationOf({ id, endpoint, method }, server, naming),
      },
    ]);
    const inPath = [...shownPath.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name: name!,
      in: 'path' as const,
      required: true,
      schema: TEXT,
    }));
    const item = { ...(inPath.length > 0 && { parameters: inPath }), ...Object.fromEntries(entries) };
    const key = shownPath.replaceAll(/:(\w+)/g, '{$1}');
    document.paths[key] = { ...item, ...document.paths[key] };
  }
}

/**
 * Returns the methods to document. A page is documented by GET only, because its forms are internal; a well-known
 * document too.
 */
function methodsOf({ methods, description }: Endpoint): readonly string[] {
  if (methods.includes('HEAD')) return ['GET'];
  return description && !description.response && methods.includes('GET') ? ['GET'] : methods;
}

interface EndpointMethod {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
}

function operationOf(
  { id, endpoint, method }: EndpointMethod,
  server: DescribedServer,
  { tag, clientScheme: scheme }: EndpointNaming,
): OperationObject {
  const { description, clients = description?.clients, metadata, cors } = endpoint;
  const parameters = parametersOf(id, server, clients !== undefined);
  const required = description?.required ?? [];
  const operation = {
    tags: [tag],
    summary: description?.summary ?? metadata ?? id,
    responses: responsesOf(endpoint, clients !== undefined),
    security: clients ? [{ [scheme]: [] }, ...(clients === 'all' ? [{}] : [])] : [],
  };
  if (cors === 'any' || Object.keys(parameters).length === 0) return { ...operation, parameters: [] };
  if (method === 'GET') {
    const query = Object.entries(parameters).map(([name, about]) => ({
      name,
      in: 'query' as const,
      required: required.includes(name),
      description: about,
      schema: TEXT,
    }));
    return { ...operation, parameters: query };
  }
  const grants =
    id === 'token'
      ? { grant_type: { enum: supportedGrantTypes(server.context, server.endpointPaths.has('authorize')) } }
      : {};
  const properties = Object.entries(parameters).map(([name, about]) => [
    name,
    { type: 'string', description: about, ...grants[name as keyof typeof grants] },
  ]);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required: [...required] }),
    properties: Object.fromEntries(properties) as Record<string, object>,
  };
  const content = {
    [endpoint.content === 'json' ? 'application/json' : 'application/x-www-form-urlencoded']: { schema },
  };
  return { ...operation, parameters: [], requestBody: { required: true, content } };
}

/** Returns the parameters that all features read at an endpoint, with their descriptions. */
function parametersOf(id: string, { context }: DescribedServer, authenticates: boolean): Parameters {
  const like = context.endpoints.get(id)?.description?.sameParametersAs;
  const entries = context.features.flatMap(({ parameters }) => [
    like === undefined ? {} : parameters?.[like],
    parameters?.[id],
  ]);
  const credentials = authenticates ? CLIENT_PARAMETERS : {};
  return Object.assign({}, ...entries, credentials) as Parameters;
}

const CLIENT_PARAMETERS: Parameters = {
  client_id: 'The client identifier, if no header contains it.',
  client_secret: 'The client secret, if the client has one and no header contains it.',
};

function responsesOf({ description, cors, methods }: Endpoint, authenticates: boolean): OperationObject['responses'] {
  const response = description?.response;
  if (cors === 'any') return { 200: { description: 'The document', content: json({ type: 'object' }) } };
  if (!description) return { default: { description: 'The response that the feature defines' } };
  if (!response && methods.includes('GET')) {
    return {
      200: { description: 'A page' },
      302: { description: 'A redirect to the next page or back to the client' },
    };
  }
  return {
    200: { description: 'Done', content: json({ type: 'object', properties: { ...response } }) },
    400: { description: 'The request was rejected. RFC 6749 §5.2', content: json(ERROR) },
    ...(authenticates && { 401: { description: 'Client authentication failed', content: json(ERROR) } }),
  };
}

const TEXT = { type: 'string' };
const ERROR = { type: 'object', required: ['error'], properties: { error: TEXT, error_description: TEXT } };
const json = (schema: object) => ({ 'application/json': { schema } });
