import { InvalidClientError } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { requesterNetwork } from '../../http/network.js';
import { FetchError, SafeFetch } from '../../http/safe-fetch/index.js';
import { unreachableResource } from '../../remote/client-resource.js';
import type { Model } from '../../model/model.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';
import { type ClientPolicy, clientPolicy } from '../../clients/registration/client-policy.js';
import { isClientIdUrl } from './client-id-url.js';
import { DocumentCache } from './document-cache.js';
import { freshnessOf } from './document-lifetime.js';
import { keyBinding } from './key-binding.js';
import {
  type ClientIdDocumentModel,
  type ClientIdDocumentOptions,
  documentErrors,
  documentSettings,
  type PinnedDocument,
  DEFAULT_AGE,
} from './document-options.js';
import { clientFromMetadataDocument, documentPolicy, readDocument } from './read-document.js';

/**
 * Accepts clients that are not registered: their client ID is the https URL of a document with the client's metadata.
 * draft-ietf-oauth-client-id-metadata-document-02
 */
export function clientIdDocuments(options: ClientIdDocumentOptions = {}): Feature {
  return {
    id: 'clientIdDocuments',
    specification: 'CIMD',
    settings: { ...documentSettings(options) },
    install(builder) {
      let clients: MetadataDocumentClients | undefined;
      return {
        ...keyBinding,
        metadata: () => ({ client_id_metadata_document_supported: true }),
        misconfigurations: (server) => documentErrors(options, server),
        client: {
          find(clientId, request) {
            clients ??= new MetadataDocumentClients(options, builder.server);
            return clients.find(clientId, requesterNetwork(request));
          },
        },
      };
    },
  };
}

class MetadataDocumentClients {
  private readonly fetch: SafeFetch;
  private readonly policy: ClientPolicy;
  private readonly documents: DocumentCache<ClientMetadata>;
  /** The documents that are not fetched, by their URLs. */
  private readonly pinned: ReadonlyMap<unknown, PinnedDocument>;
  private readonly model: Model & ClientIdDocumentModel;

  constructor(options: ClientIdDocumentOptions, server: ServerContext) {
    const { redirects, pinned, minAge, maxAge, outage, pause, size, fetch } = documentSettings(options);
    this.model = server.options.model;
    this.fetch = new SafeFetch(fetch);
    this.policy = documentPolicy(clientPolicy(options, server));
    this.pinned = new Map(pinned.map((document) => [document['client_id'], document]));
    this.documents = new DocumentCache({
      size,
      outage,
      pause,
      isTemporary: (error) => error instanceof FetchError && error.isTemporary,
      isNotAttempted: (error) => error instanceof FetchError && error.kind === 'busy',
      fetch: async (url, requester) => {
        const copy = this.pinned.get(url);
        const { body, headers } = copy ? { body: copy, headers: {} } : await this.fetch.json(url, requester);
        const seconds = copy ? Infinity : Math.min(Math.max(freshnessOf(headers) ?? DEFAULT_AGE, minAge), maxAge);
        const document = readDocument(url, body, { policy: this.policy, redirects });
        await this.policy.verify(document);
        return { document, seconds };
      },
    });
  }

  /**
   * Returns the client that the document at the URL `clientId` describes. `undefined` if the text is no such URL, or if
   * the model refuses it.
   * @param requester The network of the request that contains the client ID, if known. It limits simultaneous fetches.
   * @throws {InvalidClientError} If the document cannot be used.
   */
  async find(clientId: string, requester: string | undefined): Promise<MetadataClient | undefined> {
    if (!isClientIdUrl(clientId)) return undefined;
    if (!this.pinned.has(clientId) && !this.fetch.isFetchable(clientId)) return undefined;
    if (this.model.mayUseClientIdDocument && !(await this.model.mayUseClientIdDocument(clientId))) return undefined;
    try {
      return clientFromMetadataDocument(clientId, await this.documents.get(clientId, requester), this.policy);
    } catch (error) {
      throw errorForClient(error);
    }
  }
}

/**
 * Returns the error for a document that cannot be fetched or is invalid. The cause is logged and not returned, so that
 * clients learn nothing about the server's network.
 */
function errorForClient(error: unknown): Error {
  if (error instanceof FetchError && error.isTemporary) return unreachableResource(error.message, error);
  const reason = `client metadata document cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`;
  return new InvalidClientError('Invalid client: its metadata document cannot be used').because({ reason });
}
