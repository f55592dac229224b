'use strict';

// A model written for oauth2-server 3.x. It mixes callbacks, generators, promises and plain values, and works with
// nest-oauth2 unchanged.

var tables = {
  clients: [
    {
      id: 'shop',
      secret: 'shop-secret',
      grants: ['client_credentials', 'password', 'refresh_token', 'urn:example:badge'],
      scope: 'orders:read orders:write',
    },
  ],
  users: [{ id: 7, username: 'ada', password: 'lovelace', badge: '1815' }],
  accessTokens: [],
  refreshTokens: [],
};

/** Simulates a database driver that returns its result asynchronously to a callback. */
function find(table, where, callback) {
  setImmediate(function () {
    var match = tables[table].find(function (row) {
      return Object.keys(where).every(function (name) {
        return row[name] === where[name];
      });
    });
    callback(null, match);
  });
}

function includesAll(granted, requested) {
  return requested.split(' ').every(function (value) {
    return granted.split(' ').indexOf(value) !== -1;
  });
}

module.exports = {
  // Returns its result to a Node.js callback, the last argument.
  getAccessToken: function (accessToken, callback) {
    find('accessTokens', { accessToken: accessToken }, callback);
  },

  // A generator function: `yield` waits for a promise or a thunk, and `this` is the model.
  getClient: function* (clientId, clientSecret) {
    var where = { id: clientId };
    if (clientSecret) where.secret = clientSecret;
    return yield this.findOne('clients', where);
  },

  getUser: function (username, password, callback) {
    find('users', { username: username, password: password }, callback);
  },

  // Returns a plain value.
  getUserFromClient: function (client) {
    return { id: client.id };
  },

  getRefreshToken: function* (refreshToken) {
    return yield function (callback) {
      find('refreshTokens', { refreshToken: refreshToken }, callback);
    };
  },

  // If two concurrent requests revoke the same token, only one of them gets `true`.
  revokeToken: function (token, callback) {
    var left = tables.refreshTokens.filter(function (row) {
      return row.refreshToken !== token.refreshToken;
    });
    var revoked = left.length < tables.refreshTokens.length;
    tables.refreshTokens = left;
    callback(null, revoked);
  },

  // Returns a promise.
  saveToken: function (token, client, user) {
    var row = Object.assign({}, token, { client: client, user: user });
    tables.accessTokens.push(row);
    if (row.refreshToken) tables.refreshTokens.push(row);
    return Promise.resolve(row);
  },

  // Returns a boolean, as the documentation of 3.x showed.
  validateScope: function (user, client, scope) {
    return !scope || includesAll(client.scope, scope);
  },

  verifyScope: function (token, scope) {
    return Boolean(token.scope) && includesAll(token.scope, scope);
  },

  // A helper method of this model, which the library does not call.
  findOne: function (table, where) {
    return new Promise(function (resolve, reject) {
      find(table, where, function (error, row) {
        if (error) reject(error);
        else resolve(row);
      });
    });
  },
};
