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

/** The client that requests authorization details, and the user if known. */
interface Requester {
  client: CoreClient;
  user?: User | undefined;
}

type Details = readonly AuthorizationDetail[];

/** The types of authorization details that a server supports. It validates details against them. RFC 9396 */
export class KnownDetails implements SupportedDetails {
  readonly types: ReadonlyMap<string, AuthorizationDetailsType>;

  constructor(types: Readonly<Record<string, AuthorizationDetailsType>> | undefined) {
    this.types = new Map(Object.entries(types ?? {}));
  }

  /**
   * Verifies that the types of the details are known and allowed for the client, and that each detail is valid for its
   * type.
   * @throws {InvalidAuthorizationDetailsError} If a detail is invalid, or its type is unknown or not allowed.
   * RFC 9396 §5
   */
  verify(details: Details, client: CoreClient): void {
    const registered: unknown = AUTHORIZATION_DETAILS_TYPES.of(client);
    for (const detail of details) {
      const { type: name } = detail;
      const type = this.types.get(name);
      if (!type) throw invalidDetails('type is unknown to the server', name);
      if (Array.isArray(registered) && !registered.includes(name))
        throw invalidDetails("type is not in the client's `authorization_details_types`", name);
      const { fields, required = [] } = type;
      const unknownField = fields && Object.keys(detail).find((field) => field !== 'type' && !fields.includes(field));
      if (unknownField !== undefined) throw invalidDetails(`type \`${name}\` does not allow this field`, unknownField);
      const missingField = required.find((field) => !Object.hasOwn(detail, field));
      if (missingField !== undefined) throw invalidDetails(`type \`${name}\` requires the field \`${missingField}\``);
      if (!isValid(() => type.validate?.(detail)))
        throw invalidDetails(`\`validate()\` of the type \`${name}\` rejected the detail`);
    }
  }

  /**
   * Returns the details that the model allows, or all of them if it has no `validateAuthorizationDetails()`.
   * @throws {InvalidAuthorizationDetailsError} If the model refuses them.
   */
  async approve(
    details: Details,
    { client, user }: Requester,
    model: Model & AuthorizationDetailsModel,
  ): Promise<Details> {
    if (!model.validateAuthorizationDetails) return details;
    const result = await model.validateAuthorizationDetails(details, client, user);
    if (result === true) return details;
    if (!result)
      throw invalidDetails('`validateAuthorizationDetails()` of the model rejected the authorization details');
    if (!Array.isArray(result)) {
      throw new ServerError(
        'Server error: `validateAuthorizationDetails()` must return true, a list of details, or a falsy value',
      );
    }
    return result.length === 0 ? [] : detailsFromApplication(result, details);
  }

  /**
   * Returns the requested details unchanged, if each is covered by a granted one.
   * @throws {InvalidAuthorizationDetailsError} If one exceeds the granted details. RFC 9396 §6
   */
  narrow(requested: Details, granted: Details): Details {
    for (const one of requested) {
      if (!granted.some((whole) => this.isWithin(one, whole)))
        throw invalidDetails('requested details exceed the granted ones', one.type);
    }
    return requested;
  }

  /** Returns the granted details whose types the server still supports. */
  remaining(granted: Details): Details {
    return granted.filter(({ type }) => this.types.has(type));
  }

  /** Whether a consent may be remembered for all of these details: their types have `remember: true`. */
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
