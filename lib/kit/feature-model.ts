import type { DeviceAuthorizationModel } from '../features/device-authorization/device-model.js';
import type { PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import type { RegistrationModel } from '../features/registration/registration-model.js';
import type { RevocationModel } from '../features/revocation.js';
import type { TokenExchangeModel } from '../features/token-exchange/exchange-model.js';
import type { KeyModel } from '../jose/keys/key-model.js';
import type { ClientsModel } from '../model/clients.js';
import type { SessionModel } from '../model/sessions.js';

/** The model methods that features require and the contract kit checks, in addition to the base interface. */
export type FeatureModel = RevocationModel &
  PushedRequestModel &
  DeviceAuthorizationModel &
  Pick<TokenExchangeModel, 'saveExchangedToken'> &
  ClientsModel &
  RegistrationModel &
  KeyModel &
  SessionModel;
