'use strict';

// An extension grant written for oauth2-server 3.x: a terminal sends the badge number of an employee.

var util = require('util');
var OAuth2Server = require('nest-oauth2/server').OAuth2Server; // the one line that changed: require('oauth2-server')
var model = require('./model.cjs');

function BadgeGrantType(options) {
  OAuth2Server.AbstractGrantType.call(this, options);
}

util.inherits(BadgeGrantType, OAuth2Server.AbstractGrantType);

BadgeGrantType.prototype.handle = function (request, client) {
  var self = this;
  var scope = this.getScope(request);
  var badge = request.body.badge;

  if (!badge) return Promise.reject(new OAuth2Server.InvalidRequestError('Missing parameter: `badge`'));

  return model.findOne('users', { badge: badge }).then(function (user) {
    if (!user) return Promise.reject(new OAuth2Server.InvalidGrantError('Invalid grant: badge is unknown'));

    return Promise.all([
      self.validateScope(user, client, scope),
      self.generateAccessToken(client, user, scope),
      self.getAccessTokenExpiresAt(),
    ]).then(function (parts) {
      var token = { scope: parts[0], accessToken: parts[1], accessTokenExpiresAt: parts[2] };
      return self.model.saveToken(token, client, user);
    });
  });
};

module.exports = BadgeGrantType;
