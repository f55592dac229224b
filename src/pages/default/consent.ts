import { isPublicClient, redirectTarget } from '../../../lib/internal.js';
import type { Client } from '../../../lib/index.js';
import type { ConsentPageContext, Page } from '../render/contexts.js';
import { html, isolated } from '../render/html.js';
import { requestedAccess, decisionForm } from './requested-access.js';

/** Renders the consent page of a client. */
export function consent(context: ConsentPageContext): Page {
  const { message, nameOf, user, client, clientHost, resources, redirectUri, accounts } = context;
  const title = message('consentTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      ${requestedAccess(context)}
      ${
        resources.length > 0 &&
        html`<ul>
          ${resources.map((resource) => html`<li>${message('resource', { resource: html`<code>${resource}</code>` })}</li>`)}
        </ul>`
      }
      ${
        redirectTarget(client, redirectUri) === 'elsewhere' &&
        html`<p class="notice bad">
          ${message('redirectElsewhere', {
            destination: isolated(destinationOf(redirectUri)),
            host: isolated(clientHost),
          })}
        </p>`
      }
      ${isLocalPublicClient(client, redirectUri) && html`<p class="notice info">${message('localClient')}</p>`}
      ${decisionForm(context)}
      <p class="aside">
        ${message('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}
        ${message('redirectTarget', { destination: html`<code>${destinationOf(redirectUri)}</code>` })}
        ${accounts !== undefined && html`<a href="${accounts}">${message('otherAccount')}</a>`}
      </p>`,
  };
}

/**
 * Whether the client is a public client on the user's own device: its redirect URI is a loopback address or has a
 * private-use scheme. Any program there could impersonate it. RFC 8252 §8.6
 */
function isLocalPublicClient(client: Client, redirectUri: string): boolean {
  const { hostname, protocol } = new URL(redirectUri);
  const isLocal = !/^https?:$/.test(protocol) || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return isLocal && isPublicClient(client);
}

/**
 * Returns the host of a web URI, or the scheme of an application's own URI, whose other parts do not identify the
 * owner.
 */
function destinationOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
