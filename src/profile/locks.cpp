#include "profile/locks.h"

#include "diagnostics/mask.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

// What the lock allows, for the help line.
std::string allowed_words(const Field<Profile>& row, const Profile& bounds) {
  const Comparable bound = row.comparable(bounds);
  if (!bound.is_set && (row.rule.kind == Widens::set || row.rule.kind == Widens::grants)) return "nothing";
  return masked(row.value(bounds));
}

void add_fault(const Field<Profile>& row, const ProfileLock& lock, const Profile& profile, Diagnostics& problems) {
  const Origin& said = row.origin(profile);
  const Origin& bound = row.origin(lock.bounds);
  Diagnostic problem = error("locked", "`" + row.path + "` allows more than " + lock.name + ", which is locked");
  problem.at(said.span.known() ? said.span : profile.where);
  if (bound.layer != Layer::default_value) problem.at(bound.span, "the locked value");
  problem.at(lock.where, "locked here");
  problems.add(problem.with_help("leave it out, or stay within what is allowed: " + allowed_words(row, lock.bounds)));
}

}  // namespace

void check_locks(const std::vector<ProfileLock>& locks, const Profile& profile, Diagnostics& problems) {
  for (const ProfileLock& lock : locks) {
    for (const Field<Profile>& row : profile_fields()) {
      const Comparable bound = row.comparable(lock.bounds);
      // A default that may be replaced binds nobody: the lock says nothing about it.
      if (row.rule.kind == Widens::replaced && !bound.is_set) continue;
      if (compare(row.rule, bound, row.comparable(profile)) == Change::widens) add_fault(row, lock, profile, problems);
    }
  }
}

}  // namespace sanduk
