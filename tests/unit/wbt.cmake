servosim_unit_tests(wbt_accepted_nodes_test.cpp
  wbt_extension_marks_test.cpp wbt_field_order_test.cpp wbt_hidden_fields_test.cpp wbt_legacy_test.cpp wbt_lexer_test.cpp
  wbt_node_types_test.cpp wbt_parser_test.cpp wbt_proto_faults_test.cpp wbt_proto_test.cpp wbt_real_worlds_test.cpp
  wbt_stand_ins_test.cpp wbt_template_hostile_test.cpp wbt_template_test.cpp wbt_tree_test.cpp wbt_uneven_terrain_test.cpp wbt_values_test.cpp wbt_version_test.cpp wbt_world_file_test.cpp
  wbt_writer_test.cpp)
