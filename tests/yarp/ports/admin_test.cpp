// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/port.h"
#include "yarp/ports/test_support.h"

namespace servosim::yarp {
namespace {

AdminRequest parsed(std::string_view line) {
  return parse_admin(std::get<Bottle>(parse_bottle(line)));
}

TEST(YarpAdmin, EveryRequestInBothDirections) {
  for (const char* const line :
       {"[ver]", "[list] [in]", "[list] [out]", "[list] [out] \"/yclient/stateExt:i\"",
        "[add] \"udp://yclient/stateExt:i\"", "[add] \"tcp://yclient/stateExt:i\"",
        "[del] \"/yclient/stateExt:i\"", "[prop] [get]", "[prop] [set]"}) {
    EXPECT_EQ(to_text(admin_message(parsed(line))), line);
  }
}

TEST(YarpAdmin, ReadsWhatItIsAsked) {
  EXPECT_EQ(std::get<AdminAdd>(parsed("[add] \"udp://y/s:i\"")).carrier, Carrier::Udp);
  EXPECT_EQ(std::get<AdminAdd>(parsed("[add] \"udp://y/s:i\"")).name, "/y/s:i");
  EXPECT_EQ(std::get<AdminAdd>(parsed("add fast_tcp://y")).carrier, Carrier::FastTcp);
  EXPECT_EQ(std::get<AdminAdd>(parsed("add \"/y:/z\"")).carrier, Carrier::Tcp);
  EXPECT_EQ(std::get<AdminAdd>(parsed("add \"/y:/z\"")).name, "/y:/z");
  EXPECT_TRUE(std::get<AdminList>(parsed("list out")).out);
  EXPECT_FALSE(std::get<AdminList>(parsed("list in /x")).out);
  EXPECT_EQ(std::get<AdminList>(parsed("list in /x")).name, "/x");
}

TEST(YarpAdmin, SaysWhatIsWrong) {
  for (const char* const line : {"", "[fly]", "(1)", "[list]", "[list] [up]", "[list] [in] 3",
                                 "[add]", "[add] 3", "[del]", "[del] [x]"}) {
    const AdminRequest request = parsed(line);
    ASSERT_TRUE(is_error(request)) << line;
    const Bottle reply = admin_message(request);
    EXPECT_EQ(reply, (Bottle{{Vocab("fail"), error_text(request)}}));
    EXPECT_FALSE(error_text(request).empty());
  }
}

TEST(YarpAdmin, Replies) {
  EXPECT_EQ(to_text(admin_version_reply()), "[ver] 1 2 3");
  const std::vector<std::string> names{"/a", "/b"};
  EXPECT_EQ(to_text(admin_names_reply(names)), "\"/a\" \"/b\"");
  EXPECT_EQ(to_text(admin_names_reply({})), "");
  EXPECT_EQ(to_text(admin_connection_reply("/me", "/dest", Carrier::Udp)),
            "(from \"/me\") (to \"/dest\") (carrier udp) (connectionless 1)");
  EXPECT_EQ(to_text(admin_connection_reply("/me", "/dest", Carrier::FastTcp)),
            "(from \"/me\") (to \"/dest\") (carrier fast_tcp)");
  EXPECT_EQ(to_text(admin_added_reply("/A", {Carrier::Udp, "/B"})),
            R"(0 "Added connection from /A to udp://B\r\n")");
  EXPECT_EQ(to_text(admin_removed_reply("/A", "/B")),
            R"(0 "Removed connection from /A to /B\r\n")");
  EXPECT_EQ(to_text(admin_refused_reply("no such port")), "-1 \"no such port\"");
  EXPECT_EQ(to_text(admin_property_reply({true})), "[ok]");
  EXPECT_EQ(to_text(admin_property_reply({false})), "");
}

}  // namespace
}  // namespace servosim::yarp
