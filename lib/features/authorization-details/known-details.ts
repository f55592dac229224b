import { AUTHORIZATION_DETAILS_TYPES } from '../../clients/registration/client-fields.js';
import { ServerError } from '../../errors/index.js';
import type { CoreClient, Model, User } from '../../model/model.js';
import {
  type AuthorizationDetail,
  type AuthorizationDetailsType,
  isWithinDetail,
  type SupportedDetails,
} from '../../contracts/authorization-details.js';
import type { AuthorizationDetailsModel } from './details-model.js';
import { detailsFromApplication, invalidDetails } from './read-details.js';

/** Who wants them. */
interface Requester {
  client: CoreClient;
  user?: User | undefined;
}

type Details = readonly AuthorizationDetail[];

/** The types of details that a server knows, and what it makes of details of these. RFC 9396 */
export class KnownDetails implements SupportedDetails {
  readonly types: ReadonlyMap<string, AuthorizationDetailsType>;

  constructor(types: Readonly<Record<string, AuthorizationDetailsType>> | undefined) {
    this.types = new Map(Object.entries(types ?? {}));
  }

  /** @throws InvalidAuthorizationDetailsError for a type that is not known, or not the client's, and for what that does not allow. RFC 9396 §5 */
  verify(details: Details, client: CoreClient): void {
    const own: unknown = AUTHORIZATION_DETAILS_TYPES.of(client);
    for (const detail of details) {
      const { type: name } = detail;
      const type = this.types.get(name);
      if (!type) throw invalidDetails('the type is one that the server knows', name);
      if (Array.isArray(own) && !own.includes(name))
        throw invalidDetails('the client is registered for the type', name);
      const { fields, required = [] } = type;
      const more = fields && Object.keys(detail).find((field) => field !== 'type' && !fields.includes(field));
      if (more !== undefined) throw invalidDetails(`the type \`${name}\` has the field`, more);
      const less = required.find((field) => !Object.hasOwn(detail, field));
      if (less !== undefined) throw invalidDetails(`the type \`${name}\` needs the field \`${less}\``);
      if (!isValid(() => type.validate?.(detail)))
        throw invalidDetails(`\`validate()\` of the type \`${name}\` finds it good`);
    }
  }

  /** What the host makes of them. @throws InvalidAuthorizationDetailsError where it does not allow them */
  async approve(
    details: Details,
    { client, user }: Requester,
    model: Model & AuthorizationDetailsModel,
  ): Promise<Details> {
    if (!model.validateAuthorizationDetails) return details;
    const answer = await model.validateAuthorizationDetails(details, client, user);
    if (answer === true) return details;
    if (!answer) throw invalidDetails('`validateAuthorizationDetails()` of the model allows them');
    if (!Array.isArray(answer)) {
      throw new ServerError(
        'Server error: `validateAuthorizationDetails()` returns true, a list of details, or something falsy',
      );
    }
    return answer.length === 0 ? [] : detailsFromApplication(answer, details);
  }

  /** The part of what was granted that a request names. @throws InvalidAuthorizationDetailsError for more. RFC 9396 §6 */
  narrow(requested: Details, granted: Details): Details {
    for (const one of requested) {
      if (!granted.some((whole) => this.isWithin(one, whole)))
        throw invalidDetails('they are part of what was granted', one.type);
    }
    return requested;
  }

  /** Those of types that are known still. */
  remaining(granted: Details): Details {
    return granted.filter(({ type }) => this.types.has(type));
  }

  /** May an earlier yes stand for all of these? */
  mayRemember(details: Details): boolean {
    return details.every(({ type }) => this.types.get(type)?.remember === true);
  }

  private isWithin(requested: AuthorizationDetail, granted: AuthorizationDetail): boolean {
    if (requested.type !== granted.type) return false;
    const type = this.types.get(requested.type);
    return type?.isWithin ? type.isWithin(requested, granted) : isWithinDetail(requested, granted);
  }
}

function isValid(validate: () => unknown): boolean {
  try {
    return validate() !== false;
  } catch {
    return false;
  }
}
