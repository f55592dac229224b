import { notifySessionEnded, requireMethods } from '../../../lib/internal.js';
import {
  InvalidArgumentError,
  type ServerContext,
  type Session,
  type SessionListModel,
  type User,
} from '../../../lib/index.js';
import type { UserSession } from '../../interaction/session-operations.js';
import { usersFilter } from '../../tenants/tenant-of.js';

/** Maximum number of listed sessions of one user. */
const MAX_LISTED = 1000;

type Current = Pick<Session, 'id' | 'sid'> | undefined;

/**
 * The sessions of a user in all browsers. With tenants or realms, only those at one server, because users of two of them
 * may have the same ID.
 */
export class UserSessions {
  constructor(private readonly server: ServerContext) {}

  async list(user: User, current: Current): Promise<UserSession[]> {
    const model = this.able('listSessions');
    const { sessions } = await model.listSessions({ ...this.of(user), limit: MAX_LISTED });
    return sessions.map((one) => Object.assign(one, { isCurrent: one.id === current?.id }));
  }

  async end(user: User, id: string): Promise<boolean> {
    const model = this.able('endSession');
    const session = (await this.list(user, undefined)).find((one) => one.id === id);
    if (!session || !(await model.endSession({ userId: userIdOf(user), id }))) return false;
    await notifySessionEnded(this.server, session);
    return true;
  }

  async endOthers(user: User, current: Current): Promise<number> {
    const model = this.able('endSessions');
    if (current && current.id === undefined) {
      throw new InvalidArgumentError(
        'Invalid argument: `endOthers()` requires a model whose `getSession()` returns the `id` of the session',
      );
    }
    const others = (await this.list(user, current)).filter(({ isCurrent }) => !isCurrent);
    const except = current?.id;
    const count = await model.endSessions({ ...this.of(user), ...(except !== undefined && { except }) });
    for (const other of others) if (other.sid !== current?.sid) await notifySessionEnded(this.server, other);
    return count;
  }

  private of(user: User): { userId: string | number; issuer?: string } {
    return { userId: userIdOf(user), ...usersFilter(this.server) };
  }

  private able(method: keyof SessionListModel): SessionListModel {
    const { model } = this.server.options;
    requireMethods(model, ['listSessions', method]);
    return model as object as SessionListModel;
  }
}

const userIdOf = (user: User) => user['id'] as string | number;
