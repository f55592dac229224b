import type {
  DeviceAuthorizationModel,
  PushedRequestModel,
  RegistrationModel,
  RevocationModel,
  TokenExchangeModel,
} from 'nest-oauth2/features';
import type { KeyModel } from 'nest-oauth2/jose';
import type { ClientsModel, Model, SessionModel } from 'nest-oauth2/server';
import type { Feature, Guarantee } from 'nest-oauth2/testing';

import type { CorrectModel } from './correct-model.js';

/** A common mistake in models, and the result that the kit reports for it. */
export interface BrokenModel {
  /** The faulty behavior, as the rest of a sentence: "catches a model that …". */
  mistake: string;
  /** The faulty methods, which replace those of a correct model. */
  methods(
    honest: CorrectModel,
  ): Partial<
    Model &
      RevocationModel &
      PushedRequestModel &
      DeviceAuthorizationModel &
      TokenExchangeModel &
      ClientsModel &
      RegistrationModel &
      KeyModel &
      SessionModel
  >;
  /** The title of the check that fails. */
  fails: string;
  /** A pattern for the message, which names the finding and its fix. */
  finding: RegExp;
  remedy: RegExp;
  /** The remaining guarantees of the affected features. */
  leaves: Partial<Record<Feature, Guarantee>>;
}
