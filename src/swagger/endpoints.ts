import type { OpenAPIObject } from '@nestjs/swagger';
import { supportedGrantTypes } from '../../lib/adapter/index.js';
import type { Endpoint } from '../../lib/index.js';
import type { OperationObject } from './operations.js';
import type { DescribedServer } from './servers.js';

type Parameters = Readonly<Record<string, string>>;

/** How the endpoints stand in a document. */
export interface EndpointNaming {
  /** What their operations stand under. */
  readonly tag: string;
  /** What the ids of their operations begin with. */
  readonly key: string;
  /** The scheme by which clients prove who they are. */
  readonly clients: string;
  /** What begins with this is told of without it. */
  readonly without: string;
}

/** Clients prove who they are by the header, or in the form, where OpenAPI has no name for it. RFC 6749 §2.3.1 */
export const CLIENT_SCHEME = {
  type: 'http' as const,
  scheme: 'basic',
  description: '`client_id` and `client_secret`. RFC 6749 §2.3.1',
};

/** Describes the endpoints of a server, each once for each of its methods; what the document says of a path already stays. */
export function describeEndpoints(document: OpenAPIObject, server: DescribedServer, naming: EndpointNaming): void {
  for (const [id, path] of server.endpointPaths) {
    const endpoint = server.context.endpoints.get(id)!;
    const place = naming.without && path.startsWith(`${naming.without}/`) ? path.slice(naming.without.length) : path;
    const said = methodsOf(endpoint).map((method) => [
      method.toLowerCase(),
      {
        operationId: `${naming.key}_${id}_${method.toLowerCase()}`,
        ...operationOf({ id, endpoint, method }, server, naming),
      },
    ]);
    const inPath = [...place.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name: name!,
      in: 'path' as const,
      required: true,
      schema: TEXT,
    }));
    const item = { ...(inPath.length > 0 && { parameters: inPath }), ...Object.fromEntries(said) };
    const key = place.replaceAll(/:(\w+)/g, '{$1}');
    document.paths[key] = { ...item, ...document.paths[key] };
  }
}

/** Of a page only what leads to it is told: what its forms post is its own. A document is told of once. */
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
  { tag, clients: scheme }: EndpointNaming,
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

/** What all features read at an endpoint. */
function parametersOf(id: string, { context: facts }: DescribedServer, authenticates: boolean): Parameters {
  const like = facts.endpoints.get(id)?.description?.sameParametersAs;
  const said = facts.features.flatMap(({ parameters }) => [
    like === undefined ? {} : parameters?.[like],
    parameters?.[id],
  ]);
  const proof = authenticates ? CLIENT_PARAMETERS : {};
  return Object.assign({}, ...said, proof) as Parameters;
}

const CLIENT_PARAMETERS: Parameters = {
  client_id: 'The client, where no header says it.',
  client_secret: 'Its secret, where it has one and no header says it.',
};

function responsesOf({ description, cors, methods }: Endpoint, authenticates: boolean): OperationObject['responses'] {
  const answer = description?.response;
  if (cors === 'any') return { 200: { description: 'The document', content: json({ type: 'object' }) } };
  if (!description) return { default: { description: 'As its feature answers' } };
  if (!answer && methods.includes('GET')) {
    return { 200: { description: 'A page' }, 302: { description: 'Leads on, back to the client in the end' } };
  }
  return {
    200: { description: 'Done', content: json({ type: 'object', properties: { ...answer } }) },
    400: { description: 'The request is refused. RFC 6749 §5.2', content: json(ERROR) },
    ...(authenticates && { 401: { description: 'The client has not proven who it is', content: json(ERROR) } }),
  };
}

const TEXT = { type: 'string' };
const ERROR = { type: 'object', required: ['error'], properties: { error: TEXT, error_description: TEXT } };
const json = (schema: object) => ({ 'application/json': { schema } });
