#include "engine/event.h"

#include <mutex>

namespace sanduk {

void EventListeners::add(EventListener listener) { listeners_.push_back(std::move(listener)); }

void EventListeners::operator()(const Event& event) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  for (const EventListener& listener : listeners_) listener(event);
}

}  // namespace sanduk
